import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type Run, runMomo, type Served, serveMomo } from "../support/momo.ts";
import { expectRefusal } from "../support/refusal.ts";
import { PATIENCE_MS } from "../support/time-outs.ts";

afterAll(cleanUp);

interface Item {
  readonly id: number;
  readonly status: string;
  readonly amount: number;
  readonly result_code: number | null;
  readonly checkout_request_id: string;
  readonly momo_receipt_number: string | null;
  readonly transaction_code: string | null;
}

/** How each prompt ends where nobody answers it: after the restart, whatever the network knows. */
function endOf({ ending }: (typeof OUTCOMES)[number]): { status: string; result_code: number } {
  return ending.by === "network"
    ? { status: ending.status, result_code: ending.code }
    : { status: "expired", result_code: 1019 };
}

const KINDS = OUTCOMES.filter(({ ending }) => ending.by !== "refusal");

/** Some end before the kill, some while nothing runs, some after the restart; those the network is silent about, by deadline. */
function push(server: Served, count: number): Promise<Response> {
  const kind = KINDS[count % KINDS.length] as (typeof KINDS)[number];
  const after = kind.ending.by === "network" && kind.name !== "expired" ? `; after=${(count % 13) * 200}ms` : "";
  return server.post(
    "/stkpush.php",
    { payment_account_id: 1, phone: "0712345678", amount: count + 1 },
    { "X-Sandbox-Outcome": kind.name + after },
  );
}

async function itemsOf(server: Served): Promise<{ items: Item[]; pending: number }> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const answer = (await (await server.get(`/transactions.php?limit=100&page=${page}`)).json()) as {
      transactions: Item[];
      summary: { pending_count: number };
      pagination: { total_items: number };
    };
    items.push(...answer.transactions);
    if (answer.transactions.length === 0) {
      expect(items).toHaveLength(answer.pagination.total_items);
      return { items, pending: answer.summary.pending_count };
    }
  }
}

const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;

test.concurrent("after `kill -9` in the middle of a hundred pending prompts each ends in the right final state, none lost or doubled", async () => {
  const flags = ["--prompt-timeout", "3s"];
  const first = await serveMomo(flags);
  const started = await Promise.all(
    Array.from({ length: 100 }, async (_, count) => {
      const answer = await push(first, count);
      expect(answer.status).toBe(200);
      const { checkout_request_id } = (await answer.json()) as { checkout_request_id: string };
      return { checkout_request_id, kind: KINDS[count % KINDS.length] as (typeof KINDS)[number], amount: count + 1 };
    }),
  );
  let before: Item[] = [];
  while (before.length === 0) before = (await itemsOf(first)).items.filter(({ status }) => status !== "pending");
  expect(before.length).toBeLessThan(100);

  // More are under way when it dies: whether they are kept depends on whether they were answered.
  const underWay = Array.from({ length: 40 }, (_, count) => push(first, 100 + count).catch(() => null));
  await Promise.race(underWay);
  await first.kill();
  const answered = (await Promise.all(underWay)).filter((answer) => answer?.status === 200);

  const second = await serveMomo([...flags, ...first.at]);
  const deadlineMs = performance.now() + PATIENCE_MS;
  let { items, pending } = await itemsOf(second);
  // Looked at page by page: one that was read early may show as pending what has ended since.
  while (items.some(({ status }) => status === "pending") && performance.now() < deadlineMs) {
    await Bun.sleep(100);
    ({ items, pending } = await itemsOf(second));
  }

  expect(pending).toBe(0);
  expect(items.length).toBeGreaterThanOrEqual(100 + answered.length);
  expect(items.length).toBeLessThanOrEqual(140);
  expect(isUnique(items.map(({ id }) => id))).toBe(true);
  expect(isUnique(items.map(({ checkout_request_id }) => checkout_request_id))).toBe(true);
  const byId = new Map(items.map((item) => [item.checkout_request_id, item]));
  for (const { checkout_request_id, kind, amount } of started) {
    const item = byId.get(checkout_request_id);
    expect({ outcome: kind.name, ...item }).toMatchObject({ outcome: kind.name, amount, ...endOf(kind) });
  }
  for (const item of before) expect(byId.get(item.checkout_request_id)).toEqual(item);
  const paid = items.filter(({ status }) => status === "completed");
  expect(isUnique(paid.map(({ momo_receipt_number }) => momo_receipt_number))).toBe(true);
  expect(isUnique(paid.map(({ transaction_code }) => transaction_code))).toBe(true);
  for (const { status, momo_receipt_number } of items)
    expect(momo_receipt_number !== null).toBe(status === "completed");
});

test.concurrent("after `kill -9` what is left behind stands in nobody's way", async () => {
  const first = await serveMomo();
  await first.kill();
  const second = await serveMomo(first.at);
  expect(second.ready.api_key).toBe(first.ready.api_key);
  expect(await second.stop()).toBe(0);
});

describe("a database that cannot be used: one line that names it and the flag that helps, exit 1, unchanged", () => {
  async function refusalOf(prepare: (file: string) => void): Promise<{ run: Run; file: string }> {
    const data = join(newFolder(), "data");
    mkdirSync(data);
    const file = join(data, "momo.db");
    prepare(file);
    const before = readFileSync(file);
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    expect(readFileSync(file).equals(before)).toBe(true);
    return { run, file };
  }

  const withDatabase = (file: string, sql: string) => {
    const database = new Database(file);
    database.run(sql);
    database.close();
  };

  test.concurrent("damaged", async () => {
    const { run, file } = await refusalOf((path) => writeFileSync(path, "this is not a database\n".repeat(400)));
    expectRefusal(run, `${file} is damaged or not a database`, "--data");
  });

  test.concurrent("damaged behind a good header", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const good = readFileSync(join(data, "momo.db"));
    const { run, file } = await refusalOf((path) =>
      writeFileSync(path, Buffer.concat([good.subarray(0, 100), Buffer.alloc(good.length - 100, 0xa5)])),
    );
    expectRefusal(run, `${file} is damaged or not a database`, "--data");
  });

  test.concurrent("newer", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    withDatabase(join(data, "momo.db"), "PRAGMA user_version = 99");
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    expectRefusal(run, `${join(data, "momo.db")} was written by a newer momo (schema 99`, "--data");
  });

  test.concurrent("another program's", async () => {
    const { run, file } = await refusalOf((path) => withDatabase(path, "CREATE TABLE recipes (name TEXT)"));
    expectRefusal(run, `${file} is not a database of momo's`, "--data");
  });

  test.concurrent("locked by another program", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const holder = new Database(join(data, "momo.db"));
    holder.run("PRAGMA locking_mode = EXCLUSIVE");
    holder.run("BEGIN EXCLUSIVE");
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    holder.close();
    expectRefusal(run, `${join(data, "momo.db")} is locked by another program`, "--data");
  });

  test.concurrent("written to by another program all the time", async () => {
    const data = join(newFolder(), "data");
    await (await serveMomo(["--data", data])).stop("SIGTERM");
    const holder = new Database(join(data, "momo.db"));
    holder.run("BEGIN IMMEDIATE");
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    holder.close();
    expectRefusal(run, `${join(data, "momo.db")} is locked by another program`, "--data");
  });

  test.concurrent("written to by another program all the time, with the first key yet to be made", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const holder = new Database(join(data, "momo.db"));
    holder.run("BEGIN IMMEDIATE");
    const runs = [
      ["serve", "--port", "0", "--data", data],
      ["merchants", "create", "--name", "Second", "--data", data],
    ].map((args) => runMomo(args));
    const refused = await Promise.all(runs);
    holder.close();
    for (const run of refused) expectRefusal(run, `${join(data, "momo.db")} is locked by another program`, "--data");
  });
});
