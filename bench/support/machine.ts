import { Database } from "bun:sqlite";
import { existsSync, statfsSync } from "node:fs";
import { cpus } from "node:os";
import packageJson from "../../package.json" with { type: "json" };
import { arePeersInstalled, peerVersions } from "./peers.ts";
import { ROOT } from "./programs.ts";

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
