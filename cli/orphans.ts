import { readdirSync, readFileSync } from "node:fs";
import { sleep } from "../src/system.ts";
import { fromLibc } from "./libc.ts";
import { readOrNull } from "./serving/files.ts";

const EVERY_MS = 1000;
const WITHOUT_WAITING = 1;

/**
 * Process 1 of a container gets the orphans of all others, and one that has ended stays in the table of processes until process 1
 * waits for it. The runtime waits only for processes that it has started.
 * @param own a process that the runtime waits for
 */
export async function reapOrphans(own: number, ended: AbortSignal): Promise<void> {
  if (process.pid !== 1 || process.platform !== "linux") return;
  const libc = await fromLibc({ waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" } });
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
