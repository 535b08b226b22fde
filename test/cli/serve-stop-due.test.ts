import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadPending } from "../../bench/support/loader.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type RunOptions, type Served, serveMomo } from "../support/momo.ts";
import { SLACK_MS } from "../support/time-outs.ts";

/** It would take longer than a stop may, to resolve so many. */
const DUE = 300_000;
const STOP_WITHIN_MS = 3000;

/** A database in which so many prompts are due. */
let database: string;

beforeAll(async () => {
  const server = await serveMomo();
  await server.stop();
  database = join(server.ready.data, "momo.db");
  const dueMs = Date.now();
  loadPending(database, DUE, { nowMs: dueMs - 1000, dueMs });
});
afterAll(cleanUp);

/** Serves a copy of it. */
function serveDue(options: RunOptions = {}): Promise<Served> {
  const data = newFolder();
  copyFileSync(database, join(data, "momo.db"));
  return serveMomo(["--data", data], options);
}

function pendingAt({ at }: Served): number {
  const client = new Database(join(at[1], "momo.db"));
  client.run("PRAGMA busy_timeout = 5000");
  const { count } = client.query("SELECT count(*) AS count FROM transactions WHERE status = 0").get() as {
    count: number;
  };
  client.close();
  return count;
}

/** @returns how many are still pending */
async function stopInTime(server: Served): Promise<number> {
  const startedMs = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(STOP_WITHIN_MS + SLACK_MS);
  expect(server.child.stderr.text).toBe("");
  return pendingAt(server);
}

test("also on a disk that takes 200 ms for each commit", async () => {
  const program = [
    ...[
      process.execPath,
      "--no-env-file",
      "--preload",
      Bun.fileURLToPath(new URL("../support/slow-disk.ts", import.meta.url)),
    ],
    resolve(import.meta.dir, "../../cli/main.ts"),
  ];
  const server = await serveDue({ program, env: { SLOW_DISK_MS: "200" } });
  await Bun.sleep(100);
  expect(await stopInTime(server)).toBeGreaterThan(0);
});
