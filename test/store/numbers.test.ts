import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { isMemo } from "../../sandbox/network/script.ts";
import type { TransactionFilter } from "../../src/domain/filters.ts";
import { MAX_NUMBER, receiptNumber, secretOf } from "../../src/domain/identifiers.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { continueNumbers, openStore, readRows, writeRows } from "../../src/store/sqlite/sqlite.ts";
import type { TableRows } from "../../src/store/transfer.ts";
import { useFolder } from "../support/cleanup.ts";
import {
  addMerchants,
  CREATED_AT_MS,
  identified,
  insertPending,
  openStoreWithMerchants,
  paid,
} from "../support/shop.ts";
import { rejectionOf } from "../support/waiting.ts";
import { naiveList } from "./book.ts";
import { insertRow, ROWS } from "./rows.ts";

const inFolder = useFolder();
const MINUTE_MS = 60_000;

/** The memos that a network writes. */
function* withMemos(source: Iterable<TableRows>): Generator<TableRows> {
  for (const { table, rows } of source) {
    yield { table, rows: table === "transactions" ? rows.map((row) => ({ ...row, memo: "manual - default" })) : rows };
  }
}

const take = (file: string, rows: Parameters<typeof writeRows>[1]) => writeRows(file, rows, "the copy", isMemo);

test("the list has the order of time, whatever the numbers are: the clock can be set back, and an import can have any numbers", async () => {
  const file = inFolder("momo.db");
  let store = await openStoreWithMerchants(file);
  // The last two start in the same millisecond.
  const minutes = [1440, 0, 10, -1440, 0];
  const all: PendingTransaction[] = [];
  for (const minute of minutes)
    all.push(await insertPending(store, { createdAtMs: CREATED_AT_MS + minute * MINUTE_MS }));
  const placesOf = (rows: readonly { readonly id: number }[]) =>
    rows.map(({ id }) => all.findIndex((one) => one.id === id));
  const expectOrder = async () => {
    const list = async (filter: TransactionFilter) =>
      placesOf((await store.transactionList.list(1, filter, { number: 1, limit: 10 })).rows);
    expect(await list({})).toEqual([0, 2, 4, 1, 3]);
    expect(await list({ search: "07" })).toEqual([0, 2, 4, 1, 3]);
    expect(await list({ date_to: dayOf(CREATED_AT_MS) })).toEqual([2, 4, 1, 3]);
    expect(placesOf(await store.transactions.listPending(10))).toEqual([3, 1, 4, 2, 0]);
    expect(await store.transactions.lastStartMs()).toBe(CREATED_AT_MS + 1440 * MINUTE_MS);
  };
  await expectOrder();
  store.close();
  await take(inFolder("copy.db"), withMemos(readRows(file, "the copy")));
  store = openStore(inFolder("copy.db"));
  await expectOrder();
  store.close();
});

test("a copy that has used numbers beyond the bound is refused, because too few would be left", async () => {
  const source = inFolder("source.db");
  (await openStoreWithMerchants(source)).close();
  {
    using client = new Database(source);
    client.run("UPDATE numbering SET last_forgotten = 10000000001");
  }
  const refused = await rejectionOf(take(inFolder("copy.db"), readRows(source, "the copy")));
  expect(String(refused)).toContain("last_forgotten must be from 0 to 10000000000");
});

test("imported payments with large gaps between their numbers keep them", async () => {
  const source = inFolder("source.db");
  (await openStoreWithMerchants(source)).close();
  const numbers = Array.from({ length: 100 }, (_, index) => 1 + index * 2 ** 14);
  {
    using client = new Database(source);
    for (const id of numbers) insertRow(client, "transactions", { ...ROWS.transactions, id, memo: "manual - default" });
  }
  const file = inFolder("copy.db");
  await take(file, readRows(source, "the copy"));
  const store = openStore(file);
  const list = async (filter: TransactionFilter) =>
    (await store.transactionList.list(1, filter, { number: 1, limit: 100 })).rows;
  const rows = await list({});
  expect(rows.map(({ id }) => id)).toEqual(numbers.toReversed());
  const [newest] = rows as [PendingTransaction];
  expect(await list({ id: newest.id })).toEqual([newest]);
  expect(await store.transactions.findByCheckoutRequestId(newest.checkoutRequestId)).toEqual(newest);
  expect(await list({ id: 2 })).toEqual([]);
  expect((await insertPending(store)).id).toBe(newest.id + 1);
  store.close();
});

test("payments of several replicas get the order of time when they are imported, and keep their identifiers", async () => {
  const store = await openStoreWithMerchants(inFolder("source.db"));
  const minutes = [0, 10, 1440, 5, 1441, 6];
  const all = [];
  for (const _ of minutes) all.push(await insertPending(store));
  store.close();
  // Each replica has numbers of its own, so that in the common database they do not rise with time.
  const exported = inFolder("exported.db");
  const shift = (minute: number) => minute * MINUTE_MS;
  function* rows() {
    for (const { table, rows } of readRows(inFolder("source.db"), "the copy")) {
      const moved = rows.map((row, index) => {
        const byMs = shift(minutes[index] ?? 0);
        const times = ["created_at_ms", "expires_at_ms", "check_at_ms"].map((name) => [name, Number(row[name]) + byMs]);
        return table === "transactions" ? { ...row, ...Object.fromEntries(times), memo: "manual - default" } : row;
      });
      yield { table, rows: moved };
    }
  }
  await take(exported, rows());
  const again = inFolder("again.db");
  await take(again, readRows(exported, "the copy"));

  const copy = openStore(again);
  const { rows: listed, summary } = await copy.transactionList.list(1, {}, { number: 1, limit: 100 });
  expect(listed.map(({ createdAtMs }) => (createdAtMs - CREATED_AT_MS) / MINUTE_MS)).toEqual(
    minutes.toSorted((a, b) => b - a),
  );
  expect(listed.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  expect(summary.totalItems).toBe(minutes.length);
  for (const one of listed) {
    if (one.status !== "pending") throw new Error("all are pending");
    expect(await copy.transactions.findByCheckoutRequestId(one.checkoutRequestId)).toEqual(one);
    for (const filter of [{ id: one.id }, { search: one.merchantRequestId }]) {
      const found = await copy.transactionList.list(1, filter, { number: 1, limit: 10 });
      expect(found.rows).toEqual(naiveList(listed, 1, filter));
      expect(found.rows).toHaveLength(1);
    }
    const atMs = one.createdAtMs + 1;
    const end = paid(one, receiptNumber(atMs, one.id), atMs);
    expect(await copy.transactions.record([end])).toEqual([end]);
    expect(await copy.transactions.findByCheckoutRequestId(one.checkoutRequestId)).toEqual(end);
  }
  expect((await insertPending(copy)).id).toBe(minutes.length + 1);
  copy.close();
  const secrets = new Map<unknown, unknown>();
  for (const { table, rows } of readRows(again, "the copy")) {
    if (table === "transactions") for (const { id, secret } of rows) secrets.set(id, secret);
  }
  expect(secrets.size).toBe(minutes.length + 1);
  for (const { id, checkoutRequestId } of all) expect(secrets.get(id)).toBe(secretOf(checkoutRequestId));
});

test("all rows of a file are moved, although only a thousand are read at a time", async () => {
  const [file, copy] = [inFolder("momo.db"), inFolder("copy.db")];
  const store = await openStoreWithMerchants(file);
  await Promise.all(Array.from({ length: 2001 }, () => insertPending(store)));
  store.close();
  await writeRows(copy, readRows(file, "the copy"), "the copy", () => true);
  using client = new Database(copy);
  expect(client.query("SELECT count(*) FROM transactions").values()).toEqual([[2001]]);
});

/** A database that has used so many numbers; `cleared` removes all its transactions. */
async function databaseWith(name: string, count: number, { cleared = false } = {}): Promise<string> {
  const file = inFolder(name);
  const store = await openStoreWithMerchants(file);
  for (let used = 0; used < count; used += 1) await insertPending(store);
  if (cleared) await store.transactions.clear();
  store.close();
  return file;
}

async function nextIn(file: string): Promise<number> {
  const store = openStore(file);
  const { id } = await insertPending(store);
  store.close();
  return id;
}

test.each([
  ["", {}],
  [", with a seed either", { requestIdKey: new Uint8Array(32) }],
])("a reset whose commit fails changes neither the numbers nor the transactions%s", async (_what, options) => {
  const store = openStore(inFolder("momo.db"), options);
  await addMerchants(store, 1);
  const kept = await insertPending(store);
  const { id } = await identified(store);
  const other = new Database(inFolder("momo.db"));
  other.run("CREATE TRIGGER no BEFORE DELETE ON day_totals BEGIN SELECT RAISE(ABORT, 'no'); END");
  await store.transactions.clear().catch(() => {});
  expect(other.query("SELECT last_forgotten FROM numbering").get()).toEqual({ last_forgotten: 0 });
  other.close();
  expect(await store.transactions.listPending(10)).toEqual([kept]);
  expect((await insertPending(store)).id).toBe(id + 1);
  store.close();
});

test("with a seed, a reset begins with the first number again, and a restore continues after its payments", async () => {
  const store = openStore(inFolder("momo.db"), { requestIdKey: new Uint8Array(32) });
  await addMerchants(store, 1);
  for (let count = 1; count <= 5; count += 1) await insertPending(store);
  const saved = await store.transactions.save(10);
  await store.transactions.clear();
  expect((await insertPending(store)).id).toBe(1);
  await saved?.restore();
  expect((await insertPending(store)).id).toBe(6);
  store.close();
});

test("after the greatest number, a payment is refused", async () => {
  const store = await openStoreWithMerchants(inFolder("momo.db"));
  const other = new Database(inFolder("momo.db"));
  insertRow(other, "transactions", { ...ROWS.transactions, id: MAX_NUMBER });
  other.close();
  expect(await rejectionOf(insertPending(store))).toMatchObject({ message: "all numbers are used" });
  store.close();
});

test.each<[string, number, number, "copy" | "database" | null, number]>([
  ["the database has used more", 2, 5, null, 6],
  ["the database has used more, and was reset", 2, 5, "database", 6],
  ["the copy has used more", 5, 2, null, 6],
  ["the copy has used more, and was reset", 5, 2, "copy", 6],
  ["the database has used none", 3, 0, null, 4],
])(
  "a copy continues after the numbers of the database that it replaces: %s",
  async (_what, inCopy, inDatabase, wasReset, next) => {
    const copy = await databaseWith("copy.db", inCopy, { cleared: wasReset === "copy" });
    const database = await databaseWith("momo.db", inDatabase, { cleared: wasReset === "database" });
    const used = (await nextIn(database)) - 1; // a payment of after the reset
    expect(continueNumbers(copy, database)).toBe(true);
    expect(await nextIn(copy)).toBe(Math.max(next, used + 2));
  },
);

test("a copy continues after the numbers of a database that is empty after a reset", async () => {
  const copy = await databaseWith("copy.db", 2);
  expect(continueNumbers(copy, await databaseWith("momo.db", 5, { cleared: true }))).toBe(true);
  expect(await nextIn(copy)).toBe(6);
});

test("a copy keeps its own numbers if the database is missing, or damaged: then the result is false", async () => {
  const copy = await databaseWith("copy.db", 1);
  expect(continueNumbers(copy, inFolder("momo.db"))).toBe(true);
  writeFileSync(inFolder("momo.db"), "damaged");
  expect(continueNumbers(copy, inFolder("momo.db"))).toBe(false);
  expect(await nextIn(copy)).toBe(2);
});
