import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { cpus } from "node:os";
import packageJson from "../../package.json" with { type: "json" };
import { arePeersInstalled, peerVersions } from "./peers.ts";
import { ROOT } from "./servers.ts";

/** Why this machine cannot measure, in one line that says what to do; null if it can. */
export function obstacle(folder: string, bytesNeeded: number): string | null {
  if (Bun.which("wrk") === null) return "wrk is not installed: apt-get install wrk, or brew install wrk";
  if (!existsSync(`${ROOT}/node_modules/commander`)) return "the dependencies are not installed: npm install";
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytesNeeded) {
    return `the disk has ${gigabytes(bavail * bsize)} GB free and ${gigabytes(bytesNeeded)} are needed: free some, or use --quick`;
  }
  return null;
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);

/** The machine on which the figures were measured. */
export function describeMachine(): string[] {
  const sqlite = new Database(":memory:").query<{ version: string }, []>("SELECT sqlite_version() AS version").get();
  const wrk = Bun.spawnSync(["wrk", "-v"]).stdout.toString().split(" ")[1] ?? "";
  return [
    `momo ${packageJson.version}, Bun ${Bun.version}, SQLite ${sqlite?.version}, wrk ${wrk.replace(/^debian\//, "")}`,
    `peers: ${arePeersInstalled() ? peerVersions() : "not installed"}`,
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${process.platform} ${process.arch}; load and servers share them`,
    "durability of momo and of the limit: WAL, synchronous=FULL; an answered payment is on disk",
  ];
}

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
