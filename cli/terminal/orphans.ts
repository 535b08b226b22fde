import { readdirSync, readFileSync } from "node:fs";
import { sleep } from "../../src/system.ts";
import { readOrNull } from "../serving/files.ts";

const EVERY_MS = 1000;
const WITHOUT_WAITING = 1;

/**
 * Process 1 of a container gets the orphans of all others, and one that has ended stays in the table of processes until process 1
 * waits for it. The runtime waits only for processes that it has started.
 * @param own a process that the runtime waits for
 */
export async function reapOrphans(own: number, ended: AbortSignal): Promise<void> {
  if (process.pid !== 1 || process.platform !== "linux") return;
  const waitpid = await findWaitpid();
  while (waitpid !== null && !ended.aborted) {
    for (const pid of endedChildren()) if (pid !== own) waitpid(pid, null, WITHOUT_WAITING);
    await sleep(EVERY_MS, ended);
  }
}

/** From the C library of the system, which has another name with musl. */
async function findWaitpid() {
  const { dlopen } = await import("bun:ffi");
  const symbols = { waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" } } as const;
  for (const name of ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]) {
    const library = readOrNull(() => dlopen(name, symbols));
    if (library !== null) return library.symbols.waitpid;
  }
  return null;
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
