import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { inspectDatabase, mendTotals } from "../../src/store/sqlite/sqlite.ts";
import { useFolder } from "../support/cleanup.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";
import { rejectionOf } from "../support/waiting.ts";

const inFolder = useFolder();

test.each([
  ["a day that counts one too many", "UPDATE totals SET count = count + 1 WHERE bits = 0"],
  ["a sum that is a cent short", "UPDATE totals SET amount_cents = amount_cents - 1 WHERE bits = 0"],
  ["a day that is missing", "DELETE FROM totals WHERE bits = 0"],
  ["a day without rows", "INSERT INTO totals VALUES (2, 0, 1, 0, 0, 1, 100)"],
  ["a block that counts one too many", "UPDATE totals SET count = count + 1 WHERE bits = 11"],
  ["a great block that is missing", "DELETE FROM totals WHERE bits = 17"],
  ["a block without rows", "INSERT INTO totals VALUES (2, 11, 4711, 0, 0, 1, 100)"],
])("a full count finds %s, and a recount mends it", async (_what, spoil) => {
  const file = inFolder("momo.db");
  const store = await openStoreWithMerchants(file);
  await insertPending(store);
  store.close();
  const totals = () => (inspectDatabase(file) as { totals: boolean }).totals;
  expect(totals()).toBe(true);
  const client = new Database(file);
  client.run(spoil);
  client.close();
  expect(totals()).toBe(false);
  mendTotals(file);
  expect(totals()).toBe(true);
});

test("a payment whose totals cannot be written is not stored", async () => {
  const file = inFolder("momo.db");
  const store = await openStoreWithMerchants(file);
  const client = new Database(file);
  client.run("DROP TABLE totals");
  client.close();
  expect(String(await rejectionOf(insertPending(store)))).toContain("no such table");
  expect(await store.transactions.nextCheckAtMs()).toBeNull();
  store.close();
});
