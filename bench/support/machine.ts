import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import packageJson from "../../package.json" with { type: "json" };
import { readOrNull } from "../../src/domain/read-or-null.ts";

/** The machine on which the figures were measured. */
export function describeMachine(): string[] {
  const sqlite = new Database(":memory:").query<{ version: string }, []>("SELECT sqlite_version() AS version").get();
  const wrk = Bun.spawnSync(["wrk", "-v"]).stdout.toString().split(" ")[1] ?? "";
  return [
    `momo ${packageJson.version}, Bun ${Bun.version}, SQLite ${sqlite?.version}, wrk ${wrk.replace(/^debian\//, "")}`,
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${process.platform} ${process.arch}; load and servers share them`,
    "durability of momo and of the limit: WAL, synchronous=FULL; an answered payment is on disk",
  ];
}

/** What Linux says of a process in /proc. Other systems have no such files: then all figures are NaN. */
const read = (pid: number, file: string): string =>
  readOrNull(() => readFileSync(`/proc/${pid}/${file}`, "utf8")) ?? "";

/** Resident memory in MB, with the pages of the executable. */
export const residentMb = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(pid, "status"))?.[1]) / 1024;

/** How many bytes it has written to the disk so far. */
export const bytesWritten = (pid: number): number => Number(/^write_bytes: (\d+)$/m.exec(read(pid, "io"))?.[1]);

const MS_PER_TICK = 10;

/** Its processor time so far. */
export function cpuMs(pid: number): number {
  const fields = read(pid, "stat")
    .replace(/^.*\) /, "")
    .split(" ")
    .map(Number);
  const [user = Number.NaN, system = Number.NaN] = fields.slice(11);
  return (user + system) * MS_PER_TICK;
}
