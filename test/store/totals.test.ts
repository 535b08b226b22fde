import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectDatabase, mendTotals } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { rejectionOf } from "../support/rejection.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const folder = mkdtempSync(join(tmpdir(), "momo-test-"));
let store: Store;
beforeAll(async () => {
  store = await openStoreWithMerchants(join(folder, "momo.db"), 2);
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

test("a payment whose totals cannot be written is not stored", async () => {
  const file = join(folder, "without-totals.db");
  const other = await openStoreWithMerchants(file, 1);
  const writer = new Database(file);
  writer.run("DROP TABLE day_totals");
  writer.close();
  expect(String(await rejectionOf(insertPending(other)))).toContain("no such table");
  expect(await other.transactions.nextCheckAtMs()).toBeNull();
  other.close();
});

describe("a full count finds what is wrong in the totals, and a recount mends it", () => {
  const file = () => join(folder, "momo.db");
  const areTrue = () => (inspectDatabase(file()) as { totals: boolean }).totals;

  test.each([
    ["a day that counts one too many", "UPDATE day_totals SET count = count + 1"],
    ["a sum that is a cent short", "UPDATE day_totals SET amount_cents = amount_cents - 1 WHERE amount_cents > 0"],
    ["a day that is missing", "DELETE FROM day_totals"],
    ["a day without rows", "INSERT INTO day_totals VALUES (2, 1, 0, 0, 1, 100)"],
    ["a block that counts one too many", "UPDATE block_totals SET count = count + 1 WHERE bits = 11"],
    ["a great block that is missing", "DELETE FROM block_totals WHERE bits = 17"],
    ["a block without rows", "INSERT INTO block_totals VALUES (2, 11, 4711, 0, 0, 1, 1, 1)"],
    ["a block whose rows are said to be younger", "UPDATE block_totals SET first_ms = first_ms + 1 WHERE count > 0"],
    ["a block whose rows are said to be older", "UPDATE block_totals SET last_ms = last_ms - 1 WHERE count > 0"],
  ])("%s", async (_what, spoil) => {
    await insertPending(store);
    expect(areTrue()).toBe(true);
    const writer = new Database(file());
    writer.run(spoil);
    writer.close();
    expect(areTrue()).toBe(false);
    mendTotals(file());
    expect(areTrue()).toBe(true);
  });
});
