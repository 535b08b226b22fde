import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { AmountCents } from "../../src/domain/money.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import { type FinalStatus, KINDS, type PendingTransaction } from "../../src/domain/transaction.ts";
import type { Store } from "../../src/store/store.ts";
import { paidAt } from "../support/payments.ts";
import { rejectionOf } from "../support/rejection.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

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

/** Neighbours around the end of a range that is counted together, and some far from it. */
const phone = fc.constantFrom("254711999999", "254712000000", "254712999999", "254713000000", "254110000000");

interface Insert {
  readonly does: "insert";
  readonly merchantId: number;
  readonly kind: (typeof KINDS)[number];
  readonly createdAtMs: number;
  readonly amount: number;
  readonly phone: string;
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
  phone,
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

interface Scanned {
  readonly merchant_id: number;
  readonly created_at_ms: number;
  readonly kind: string;
  readonly status: string;
  readonly amount_cents: number;
  readonly phone: string;
}

type Sums = Map<string, [count: number, amountCents: number]>;

/** Each row counts on its day; once it is final also among the numbers that start as its phone. */
function scan(): Sums {
  const sums: Sums = new Map();
  for (const row of raw.query<Scanned, []>("SELECT * FROM transactions").all()) {
    const ofDay = [row.merchant_id, dayOf(row.created_at_ms), row.kind, row.status];
    const ofPhone = [row.merchant_id, `${row.phone.slice(0, 6)}…`, row.status];
    for (const place of row.status === "pending" ? [ofDay.join(" ")] : [ofDay.join(" "), ofPhone.join(" ")]) {
      const [count, amount] = sums.get(place) ?? [0, 0];
      sums.set(place, [count + 1, amount + row.amount_cents]);
    }
  }
  return sums;
}

function kept(): Sums {
  const places = raw
    .query<{ place: string; count: number; amount: number }, []>(
      `SELECT * FROM (
        SELECT merchant_id || ' ' || day || ' ' || kind || ' ' || status AS place, count, amount_cents AS amount FROM totals
        UNION ALL SELECT merchant_id || ' ' || prefix || '… ' || status, count, amount_cents FROM phone_totals
      ) WHERE count <> 0 OR amount <> 0`,
    )
    .all();
  return new Map(places.map(({ place, count, amount }) => [place, [count, amount]]));
}

let receipts = 0;
async function run(steps: readonly Step[]): Promise<void> {
  let open: PendingTransaction[] = [];
  for (const step of steps) {
    const pending = "which" in step ? open[step.which % Math.max(open.length, 1)] : undefined;
    if (step.does === "insert") {
      const { does: _, amount, phone, ...facts } = step;
      const branded = { amountCents: amount as AmountCents, phone: phone as Msisdn };
      open.push(await insertPending(store, { ...facts, ...branded, paymentAccountId: facts.merchantId }));
    } else if (step.does === "fail") {
      const twin = open[0];
      const { checkoutRequestId } = twin ?? { checkoutRequestId: "" };
      if (twin) await insertPending(store, { checkoutRequestId }).catch(() => null);
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
      await store.transactions.record([resolve(pending, outcome, () => code)]);
    }
  }
}

test("totals agree with a full scan after any mix of operations, refused ones too", async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
      await run(steps);
      expect(kept()).toEqual(scan());
      most = Math.max(most, kept().size);
    }),
    { numRuns: 40 },
  );
  // Not only empty tables were compared; the last mix may end with forgetting all.
  expect(most).toBeGreaterThan(1);
});

test("an operation that the database refuses changes no total", async () => {
  const pending = await insertPending(store);
  const before = kept();
  expect(String(await rejectionOf(insertPending(store, { checkoutRequestId: pending.checkoutRequestId })))).toContain(
    "UNIQUE",
  );
  expect(kept()).toEqual(before);
});
