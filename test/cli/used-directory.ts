import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

/** A data directory that was in use, with every file that a server makes, and a copy of its database. */
export async function usedDirectory(): Promise<{ readonly used: string; readonly copy: string }> {
  const used = newFolder();
  const sandbox = await startIn(used);
  await sandbox.pay();
  await sandbox.control("POST", "/clock", { advance: "1s" });
  await sandbox.stop();
  const copy = join(newFolder(), "copy.db");
  await runMomo(["export", copy, "--data", used]);
  return { used, copy };
}

/** The record of a server of this process at an address, or with other members. */
export function writeServerRecord(data: string, origin: string, members: object = {}): void {
  const addresses = { base_url: `${origin}/v2`, control_url: `${origin}/_momo`, control_token: null };
  const record = JSON.stringify({ id: "1", pid: process.pid, ...addresses, ...members });
  writeFileSync(join(data, "server.json"), record, { mode: 0o600 });
}
