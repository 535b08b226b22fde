import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { inspectDatabase, openStore, rebuildDerivedData } from "../../src/store/sqlite/sqlite.ts";
import { areTotalsTrue } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/cleanup.ts";
import { cancelled, insertPending, openStoreWithMerchants } from "../support/shop.ts";
import { rejectionOf } from "../support/waiting.ts";

const inFolder = useFolder();
const file = () => inFolder("momo.db");

function inFile<T>(read: (client: Database) => T): T {
  using client = new Database(file());
  return read(client);
}

test("a payment whose totals cannot be written is not stored", async () => {
  const store = await openStoreWithMerchants(file());
  inFile((client) => client.run("DROP TABLE day_totals"));
  expect(String(await rejectionOf(insertPending(store)))).toContain("no such table");
  expect(await store.transactions.nextCheckAtMs()).toBeNull();
  store.close();
});

const insertMany = (store: Store, count: number): Promise<PendingTransaction[]> =>
  Promise.all(Array.from({ length: count }, () => insertPending(store)));

const isSound = () => (inspectDatabase(file()) as { totals: boolean }).totals;

test("a full count finds wrong totals, and a recount mends them", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  await insertMany(store, 10);
  store.close();
  for (const spoil of [
    "UPDATE day_totals SET count = count + 1",
    "UPDATE day_totals SET amount_cents = amount_cents - 1",
    "UPDATE day_totals SET day = day + 1",
    "DELETE FROM day_totals",
    "INSERT INTO day_totals VALUES (2, 1, 0, 0, 1, 100)",
  ]) {
    expect([spoil, isSound()]).toEqual([spoil, true]);
    inFile((client) => client.run(spoil));
    expect([spoil, isSound()]).toEqual([spoil, false]);
    rebuildDerivedData(file());
  }
  expect(isSound()).toBe(true);
});

test("a database that is missing, or still empty, is nothing to mend", () => {
  expect(inspectDatabase(file())).toEqual({ state: "missing" });
  writeFileSync(file(), "");
  expect(inspectDatabase(file())).toEqual({ state: "sound", schema: 0, totals: true });
});

test("a store closes although another program writes to the database, and loses nothing", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  const all = await insertMany(store, 100);
  inFile((client) => {
    client.run("BEGIN IMMEDIATE");
    expect(() => store.close()).not.toThrow();
  });
  const again = openStore(file());
  expect(await again.transactions.listPending(101)).toEqual(all);
  again.close();
});

describe("a saved state that is restored", () => {
  let store: Store;
  let raw: Database;
  beforeEach(async () => {
    store = await openStoreWithMerchants(inFolder("momo.db"), 2);
    raw = new Database(inFolder("momo.db"));
  });
  afterEach(() => {
    raw.close();
    store.close();
  });

  const find = ({ checkoutRequestId }: PendingTransaction) =>
    store.transactions.findByCheckoutRequestId(checkoutRequestId);

  test("a copy is restored with all rows, totals, indexes and triggers; the file never has its tables", async () => {
    const schema = () => raw.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
    const before = schema();
    const [first, second] = [
      await insertPending(store),
      await insertPending(store, { merchantId: 2, paymentAccountId: 2 }),
    ];
    await store.transactions.record([cancelled(first)]);
    const saved = await store.transactions.save(2);
    expect(saved?.count).toBe(2);
    const rows = raw.query("SELECT * FROM transactions").all();
    await store.transactions.record([cancelled(second)]);
    await store.transactions.clear();
    expect(schema()).toEqual(before);
    await insertPending(store);
    await saved?.restore();
    expect(schema()).toEqual(before);
    expect(raw.query("SELECT * FROM transactions").all()).toEqual(rows);
    expect(areTotalsTrue(raw)).toBe(true);
    expect(await find(second)).toEqual(second);
    expect(await store.transactions.record([cancelled(second)])).toHaveLength(1);
    expect(await store.transactions.record([cancelled(second)])).toHaveLength(0);
  });

  test("a copy has the totals of the payments that start and end in its commit", async () => {
    const pending = await insertPending(store);
    const [, saved] = await Promise.all([
      store.transactions.record([cancelled(pending)]),
      store.transactions.save(9),
      insertPending(store),
    ]);
    expect(areTotalsTrue(raw)).toBe(true);
    await saved?.restore();
    expect(areTotalsTrue(raw)).toBe(true);
  });

  test("more transactions than the limit are not copied; a copy can be dropped twice", async () => {
    await insertPending(store);
    await insertPending(store);
    expect(await store.transactions.save(1)).toBeNull();
    const saved = await store.transactions.save(2);
    await saved?.drop();
    await saved?.drop();
  });
});
