import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { copyDatabase, inspectDatabase, openStore } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";
import { CREATED_AT_MS, cancelled, insertPending, openStoreWithMerchants, planDeliveries } from "../support/shop.ts";

const inFolder = useFolder();

/** Changes a file by SQL. */
const sql =
  (...statements: string[]) =>
  (file: string) => {
    using client = new Database(file);
    for (const statement of statements) client.run(statement);
  };

/** The tables, indexes and triggers of a file. */
function partsOf(file: string): unknown[] {
  using client = new Database(file, { readonly: true });
  return client.query("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name").values();
}

/**
 * Makes a database one of the last schema before the first migration: the id of a transaction could be another one than its number,
 * which was in a column of its own.
 */
const outdate = sql(
  "DROP TABLE day_totals",
  "DROP INDEX transactions_newest",
  "DROP INDEX transactions_by_reference",
  "DROP TRIGGER transactions_facts_never_change",
  "DROP TRIGGER transactions_final_rows_never_change",
  "ALTER TABLE numbering ADD words_until INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE numbering ADD in_order INTEGER NOT NULL DEFAULT 1",
  "ALTER TABLE transactions ADD number INTEGER",
  "CREATE INDEX transactions_of_merchant ON transactions (merchant_id)",
  "CREATE UNIQUE INDEX transactions_by_number ON transactions (number) WHERE number IS NOT NULL",
  "CREATE TABLE totals (merchant_id, bits, place, kind, status, count, amount_cents)",
  "CREATE TABLE phone_words (block, phone, merchant_id, id)",
  "CREATE TABLE reference_words (block, reference, merchant_id, id)",
  "UPDATE transactions SET id = 104 - id",
  "UPDATE transactions SET number = 104 - id, id = id - 100",
  "UPDATE transactions SET number = NULL WHERE number = id",
  "UPDATE deliveries SET transaction_id = 4 - transaction_id",
  `PRAGMA user_version = ${KNOWN_SCHEMA - 1}`,
);

/** A database with three payments, of which one has ended. The last one had the smallest id. */
async function outdated(file: string) {
  const store = await openStoreWithMerchants(file, 2);
  const all = [];
  for (let second = 0; second < 3; second += 1) {
    all.push(await insertPending(store, { createdAtMs: CREATED_AT_MS + 1000 * second }));
  }
  planDeliveries(store);
  const [first, second, third] = all as [PendingTransaction, PendingTransaction, PendingTransaction];
  const ended = cancelled(first);
  await store.transactions.record([ended]);
  store.close();
  outdate(file);
  return [third, second, ended] as const;
}

test.each([
  ["13", () => {}] as const,
  ["12, without deliveries", sql("DROP TABLE deliveries", "PRAGMA user_version = 12")] as const,
])(
  "a database of schema %s is updated, and keeps merchants, payments, numbers and deliveries",
  async (schema, change) => {
    const file = inFolder("momo.db");
    const listed = await outdated(file);
    change(file);
    const store = openStore(file);
    const { rows, summary } = await store.transactionList.list(1, {}, { number: 1, limit: 10 });
    expect(rows).toEqual([...listed]);
    expect(summary).toMatchObject({ totalItems: 3, pendingCount: 2, cancelledCount: 1 });
    for (const one of listed) {
      expect(await store.transactions.findByCheckoutRequestId(one.checkoutRequestId)).toEqual(one);
    }
    const deliveries = await store.deliveries.list({ limit: 9 });
    expect(deliveries.map(({ payment }) => payment)).toEqual(schema === "13" ? [listed[2]] : []);
    expect(await store.merchants.listMerchants()).toHaveLength(2);
    expect((await insertPending(store)).id).toBe(4);
    store.close();
    expect(inspectDatabase(file)).toEqual({ state: "sound", schema: KNOWN_SCHEMA, totals: true });
    openStore(inFolder("new.db")).close();
    expect(partsOf(file)).toEqual(partsOf(inFolder("new.db")));
  },
);

test("an update that fails changes nothing, and the database can still be copied", async () => {
  const file = inFolder("momo.db");
  await outdated(file);
  const spoil = sql("PRAGMA ignore_check_constraints = ON", "UPDATE merchants SET name = '' WHERE id = 2");
  spoil(file);
  const contents = () => {
    const client = new Database(file, { readonly: true });
    const tables = client.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").values().flat();
    const rows = client.query("SELECT id, number, merchant_id FROM transactions ORDER BY id").values();
    const schema = client.query("PRAGMA user_version").values();
    client.close();
    return [tables, rows, schema];
  };
  const before = contents();
  expect(() => openStore(file)).toThrow("name must be 1 to 100 characters on one line");
  expect(contents()).toEqual(before);
  copyDatabase(file, inFolder("copy.db"), "the copy");
  expect(readdirSync(inFolder(""))).toContain("copy.db");
});
