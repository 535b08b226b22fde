import { dlopen, type FFIFunction } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";
import { readOrNull } from "../src/domain/read-or-null.ts";
import { sleep } from "../src/system.ts";

/** The C library of Linux, which has another name with musl, and of macOS. */
const NAMES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];

/** Functions of the system that the runtime does not have; null where there is no such library. */
function fromLibc<const Symbols extends Record<string, FFIFunction>>(symbols: Symbols) {
  for (const name of NAMES) {
    const library = readOrNull(() => dlopen(name, symbols));
    if (library !== null) return library.symbols;
  }
  return null;
}

const EVERY_MS = 1000;
const WITHOUT_WAITING = 1;

/**
 * Process 1 of a container gets the orphans of all others, and one that has ended stays in the table of processes until process 1
 * waits for it. The runtime waits only for processes that it has started.
 * @param own a process that the runtime waits for
 */
export async function reapOrphans(own: number, ended: AbortSignal): Promise<void> {
  if (process.pid !== 1 || process.platform !== "linux") return;
  const libc = fromLibc({ waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" } });
  while (libc !== null && !ended.aborted) {
    for (const pid of endedChildren()) if (pid !== own) libc.waitpid(pid, null, WITHOUT_WAITING);
    await sleep(EVERY_MS, ended);
  }
}

/** The children of this process that have ended. */
function endedChildren(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      const stat = Number.isInteger(pid) ? readOrNull(() => readFileSync(`/proc/${pid}/stat`, "latin1")) : null;
      return stat?.slice(stat.lastIndexOf(")") + 1).startsWith(` Z ${process.pid} `);
    });
}

const STDOUT = 1;
const LOOK_MS = 1000;
/** POLLERR and POLLHUP. */
const GONE = 0x18;

/** Resolves when nobody can read standard output any more. Otherwise only a write tells it. */
export async function readerGone(ended: AbortSignal): Promise<void> {
  const libc = fromLibc({ poll: { args: ["ptr", "u64", "i32"], returns: "i32" } });
  // A `struct pollfd`: the descriptor, no events, and what the system answers.
  const watched = new Int16Array(new Int32Array([STDOUT, 0]).buffer);
  for (let answer = 0; !ended.aborted && (answer & GONE) === 0; answer = watched[3] ?? 0) {
    await sleep(LOOK_MS, ended);
    libc?.poll(watched, 1, 0);
  }
}
