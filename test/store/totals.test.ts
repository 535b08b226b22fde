import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { Msisdn } from "../../src/domain/phone.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { inspectDatabase, mendTotals, openStore } from "../../src/store/sqlite/sqlite.ts";
import { areTotalsTrue } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { naiveList } from "../support/book.ts";
import { useFolder } from "../support/cleanup.ts";
import { cancelled, identified, insertPending, openStoreWithMerchants } from "../support/shop.ts";
import { rejectionOf } from "../support/waiting.ts";

const inFolder = useFolder();
const file = () => inFolder("momo.db");

function inFile<T>(read: (client: Database) => T): T {
  using client = new Database(file());
  return read(client);
}

test("a payment whose totals cannot be written is not stored", async () => {
  const store = await openStoreWithMerchants(file());
  inFile((client) => client.run("DROP TABLE totals"));
  expect(String(await rejectionOf(insertPending(store)))).toContain("no such table");
  expect(await store.transactions.nextCheckAtMs()).toBeNull();
  store.close();
});

/** The words of the search are added for many payments at once. Here are enough for several rounds, most of one merchant. */

const PAGE = { number: 1, limit: 100 };

const factsOf = (index: number) => ({
  merchantId: index % 8 === 0 ? 2 : 1,
  paymentAccountId: index % 8 === 0 ? 2 : 1,
  phone: `2547${String((index * 7919) % 4000).padStart(8, "0")}` as Msisdn,
  reference: index % 5 === 0 ? null : `Order-${(index * 31) % 1000}`,
});

const insertMany = (store: Store, count: number, first = 0): Promise<PendingTransaction[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => insertPending(store, factsOf(first + index))));

const SEARCHES = ["254700000001", "07000012", "order-77", "ORDER-1", "Order-999", "none"];

async function searchAll(store: Store, all: readonly PendingTransaction[]): Promise<void> {
  for (const search of SEARCHES) {
    for (const merchantId of [1, 2]) {
      const expected = naiveList(all, merchantId, { search }).map(({ id }) => id);
      const { rows, summary } = await store.transactionList.list(merchantId, { search }, PAGE);
      expect([search, ...rows.map(({ id }) => id)]).toEqual([search, ...expected.slice(0, PAGE.limit)]);
      expect(summary.totalItems).toBe(expected.length);
    }
  }
}

const wordsUntil = () =>
  inFile((client) => Number(client.query("SELECT words_until FROM numbering").values()[0]?.[0] ?? 0));
const isSound = () => (inspectDatabase(file()) as { totals: boolean }).totals;

test("a search finds payments with words and without, those that came late, and those after a gap of numbers", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  const late = await Promise.all([0, 1, 2].map((index) => identified(store, factsOf(index))));
  const all = await insertMany(store, 3000, 3);
  expect(wordsUntil()).toBeGreaterThan(late[2]?.id ?? 0);
  expect(wordsUntil()).toBeLessThan(all.at(-1)?.id ?? 0);
  for (const payment of late) await store.transactions.insert(payment);
  all.push(...late);
  await searchAll(store, all);
  // The first one without words.
  const next = all.find(({ id }) => id === wordsUntil());
  const { rows } = await store.transactionList.list(next?.merchantId ?? 0, { search: next?.phone ?? "" }, PAGE);
  expect(rows).toContainEqual(next as PendingTransaction);
  inFile((client) => client.run("UPDATE numbering SET last_forgotten = 9000000000"));
  store.close();
  const again = openStore(file());
  all.push(...(await insertMany(again, 3000, 3003)));
  expect(wordsUntil()).toBeGreaterThan(9_000_000_000);
  await searchAll(again, all);
  again.close();
  expect(isSound()).toBe(true);
});

test("a search goes on with the block just below those that it has read at once", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  const all = await insertMany(store, 3000);
  inFile((client) => client.run(`UPDATE numbering SET last_forgotten = ${150 * 2 ** 14}`));
  store.close();
  const again = openStore(file());
  all.push(...(await insertMany(again, 3000, 3000)));
  expect(wordsUntil()).toBeGreaterThan(150 * 2 ** 14);
  await searchAll(again, all);
  again.close();
});

test("a reset removes the words, and a restored copy has those of its rows", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  const all = await insertMany(store, 2500);
  const saved = await store.transactions.save(2500);
  await insertMany(store, 2500);
  await store.transactions.clear();
  expect([wordsUntil(), isSound()]).toEqual([0, true]);
  await searchAll(store, await insertMany(store, 10));
  await saved?.restore();
  await searchAll(store, all);
  store.close();
  expect(isSound()).toBe(true);
});

test("a full count finds wrong totals and wrong words, and a recount mends them", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  const all = await insertMany(store, 2400);
  store.close();
  for (const spoil of [
    "UPDATE totals SET count = count + 1 WHERE bits = 0",
    "UPDATE totals SET amount_cents = amount_cents - 1 WHERE bits = 0",
    "DELETE FROM totals WHERE bits = 0",
    "INSERT INTO totals VALUES (2, 0, 1, 0, 0, 1, 100)",
    "UPDATE totals SET count = count + 1 WHERE bits = 11",
    "DELETE FROM totals WHERE bits = 17",
    "INSERT INTO totals VALUES (2, 11, 4711, 0, 0, 1, 100)",
    "DELETE FROM phone_words WHERE id = 7",
    "INSERT INTO reference_words VALUES (0, 'ASTRAY', 1, 7)",
    "UPDATE phone_words SET phone = phone + 1 WHERE id = 7",
    "UPDATE reference_words SET merchant_id = 9 WHERE id = 7",
    "UPDATE numbering SET words_until = words_until + 1",
  ]) {
    expect([spoil, isSound()]).toEqual([spoil, true]);
    inFile((client) => client.run(spoil));
    expect([spoil, isSound()]).toEqual([spoil, false]);
    mendTotals(file());
  }
  expect(isSound()).toBe(true);
  const mended = openStore(file());
  await searchAll(mended, all);
  mended.close();
});

test("a database that is missing, or still empty, is nothing to mend", () => {
  expect(inspectDatabase(file())).toEqual({ state: "missing" });
  writeFileSync(file(), "");
  expect(inspectDatabase(file())).toEqual({ state: "sound", schema: 0, totals: true });
});

test("a store closes although another program writes to the database, and loses nothing", async () => {
  const store = await openStoreWithMerchants(file(), 2);
  const all = await insertMany(store, 2400);
  await searchAll(store, all);
  inFile((client) => {
    client.run("BEGIN IMMEDIATE");
    expect(() => store.close()).not.toThrow();
  });
  const again = openStore(file());
  await searchAll(again, all);
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
