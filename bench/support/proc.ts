import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux describes processes in /proc. Other systems have no such folder. */
export const knowsProcesses = (): boolean => existsSync("/proc/self/status");

/** Resident memory in MB, with the pages of the executable. */
export function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

const TICKS_PER_SECOND = 100;

/** The processor time so far, in ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** How many bytes it has written to the disk so far. */
export function bytesWritten(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

/** How often its threads have woken up so far. */
export function wakeUps(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const counts = threads.map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8");
    return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
