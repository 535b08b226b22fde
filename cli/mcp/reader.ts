import { sleep } from "../../src/system.ts";
import { fromLibc } from "../libc.ts";

const STDOUT = 1;
const LOOK_MS = 1000;
/** POLLERR and POLLHUP. */
const GONE = 0x18;

/** Resolves when nobody can read standard output any more. Otherwise only a write tells it. */
export async function readerGone(ended: AbortSignal): Promise<void> {
  const libc = await fromLibc({ poll: { args: ["ptr", "u64", "i32"], returns: "i32" } });
  // A `struct pollfd`: the descriptor, no events, and what the system answers.
  const watched = new Int16Array(new Int32Array([STDOUT, 0]).buffer);
  for (let answer = 0; !ended.aborted && (answer & GONE) === 0; answer = watched[3] ?? 0) {
    await sleep(LOOK_MS, ended);
    libc?.poll(watched, 1, 0);
  }
}
