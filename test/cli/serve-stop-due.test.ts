import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { dirname, join, resolve } from "node:path";
import { loadPending } from "../../bench/support/loader.ts";
import { cleanUp } from "../support/cleanup.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { SLACK_MS } from "../support/time-outs.ts";

/** To resolve so many would take half a minute on a disk so slow. */
const DUE = 60_000;
const SLOW_DISK_MS = "200";
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

test("a stop takes less than three seconds although more is due than can be resolved until then", async () => {
  const program = [
    ...[
      process.execPath,
      "--no-env-file",
      "--preload",
      Bun.fileURLToPath(new URL("../support/slow-disk.ts", import.meta.url)),
    ],
    resolve(import.meta.dir, "../../cli/main.ts"),
  ];
  const server = await serveMomo(["--data", dirname(database)], { program, env: { SLOW_DISK_MS } });
  await Bun.sleep(100);
  expect(await stopInTime(server)).toBeGreaterThan(0);
});
