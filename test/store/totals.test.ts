import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { AmountCents } from "../../src/domain/money.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { type FinalStatus, KINDS, type PendingTransaction } from "../../src/domain/transaction.ts";
import { inspectDatabase, mendTotals } from "../../src/store/sqlite/sqlite.ts";
import { areTotalsTrue } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { paidAt } from "../support/payments.ts";
import { rejectionOf } from "../support/rejection.ts";
import { identified, insertPending, openStoreWithMerchants } from "../support/shop.ts";

/** Totals are changed in the same transaction as the row that they count: here they are held against a full scan. */

const folder = mkdtempSync(join(tmpdir(), "momo-test-"));
let store: Store;
let raw: Database;
beforeAll(async () => {
  store = await openStoreWithMerchants(join(folder, "momo.db"), 2);
  raw = new Database(join(folder, "momo.db"), { readonly: true });
});
afterAll(() => {
  raw.close();
  store.close();
  rmSync(folder, { recursive: true });
});

/** 22:00 to 02:00 in Nairobi, around a midnight that is a new day there and none in UTC. */
const createdAtMs = fc.integer({ min: Date.UTC(2026, 10, 20, 19), max: Date.UTC(2026, 10, 20, 23) });

interface Insert {
  readonly does: "insert";
  readonly merchantId: number;
  readonly kind: (typeof KINDS)[number];
  readonly createdAtMs: number;
  readonly amount: number;
}

type Step =
  | Insert
  | { readonly does: "finish"; which: number; status: FinalStatus }
  | { readonly does: "put off"; which: number }
  | { readonly does: "fail" }
  | { readonly does: "forget" };

const insert = fc.record({
  does: fc.constant("insert" as const),
  merchantId: fc.constantFrom(1, 2),
  kind: fc.constantFrom(...KINDS),
  createdAtMs,
  amount: fc.integer({ min: 100, max: 99_999_999_999 }),
});
const which = fc.nat({ max: 30 });
const status = fc.constantFrom<FinalStatus>("completed", "failed", "cancelled", "expired");
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: insert },
  { weight: 12, arbitrary: fc.record({ does: fc.constant("finish" as const), which, status }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("put off" as const), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("fail" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("forget" as const) }) },
);

const count = () => raw.query<{ count: number }, []>("SELECT count(*) AS count FROM day_totals").get()?.count ?? 0;
const kept = () => ["day_totals", "block_totals"].map((table) => raw.query(`SELECT * FROM ${table}`).values());

let receipts = 0;
async function run(steps: readonly Step[]): Promise<void> {
  let open: PendingTransaction[] = [];
  for (const step of steps) {
    const pending = "which" in step ? open[step.which % Math.max(open.length, 1)] : undefined;
    if (step.does === "insert") {
      const { does: _, amount, ...facts } = step;
      const amountCents = amount as AmountCents;
      open.push(await insertPending(store, { ...facts, amountCents, paymentAccountId: facts.merchantId }));
    } else if (step.does === "fail") {
      // Refused for its number, together with one that is not.
      const [twin, sound] = [open[0], await identified(store)];
      const writes = [store.transactions.insert(sound), ...(twin ? [store.transactions.insert(twin)] : [])];
      await Promise.allSettled(writes);
      open.push(sound);
    } else if (step.does === "forget") {
      await store.transactions.clear();
      open = [];
    } else if (pending && step.does === "put off") {
      await store.transactions.record([{ ...pending, checkAtMs: pending.expiresAtMs }]);
    } else if (pending && step.does === "finish") {
      receipts += 1;
      const code = `R${receipts}`;
      const atMs = pending.createdAtMs + 1;
      const outcome =
        step.status === "completed"
          ? paidAt(atMs, code)
          : { status: step.status, resultCode: 1, resultDesc: "no", atMs };
      // What is final already stays in `open`, so that it is finished a second time.
      await store.transactions.record([resolve(pending, outcome)]);
    }
  }
}

test("totals agree with a full scan after any mix of operations, refused ones too", async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      await run(steps);
      expect(areTotalsTrue(raw)).toBe(true);
      most = Math.max(most, count());
    }),
    { numRuns: 40 },
  );
  // Not only empty tables were compared; the last mix may end with forgetting all.
  expect(most).toBeGreaterThan(1);
});

test("an operation that the database refuses changes no total", async () => {
  const pending = await insertPending(store);
  const before = kept();
  expect(String(await rejectionOf(store.transactions.insert(pending)))).toContain("UNIQUE");
  expect(kept()).toEqual(before);
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
