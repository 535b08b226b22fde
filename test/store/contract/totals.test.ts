import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { AmountCents } from "../../../src/domain/money.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import { type FinalStatus, KINDS, type PendingTransaction } from "../../../src/domain/transaction.ts";
import { onEveryEngine, useOneShop } from "../../support/engines.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import { rejectionOf } from "../../support/rejection.ts";
import { identified, insertPending } from "../../support/shop.ts";

/** Totals are changed in the same transaction as the row that they count: here they are held against a full scan. */

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

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 2);
  beforeAll(() => shop.open());

  const sale: Insert = { does: "insert", merchantId: 1, kind: "api", createdAtMs: CREATED_AT_MS, amount: 100 };
  let receipts = 0;
  async function run(steps: readonly Step[]): Promise<void> {
    let open: PendingTransaction[] = [];
    for (const step of steps) {
      const pending = "which" in step ? open[step.which % Math.max(open.length, 1)] : undefined;
      if (step.does === "insert") {
        const { does: _, amount, ...facts } = step;
        const amountCents = amount as AmountCents;
        open.push(await insertPending(shop.store, { ...facts, amountCents, paymentAccountId: facts.merchantId }));
      } else if (step.does === "fail") {
        // Refused for its number, together with one that is not.
        const [twin, sound] = [open[0], await identified(shop.store)];
        const writes = [shop.store.transactions.insert(sound), ...(twin ? [shop.store.transactions.insert(twin)] : [])];
        await Promise.allSettled(writes);
        open.push(sound);
      } else if (step.does === "forget") {
        await shop.store.transactions.clear();
        open = [];
      } else if (pending && step.does === "put off") {
        await shop.store.transactions.record([{ ...pending, checkAtMs: pending.expiresAtMs }]);
      } else if (pending && step.does === "finish") {
        receipts += 1;
        const code = `R${receipts}`;
        const atMs = pending.createdAtMs + 1;
        const outcome =
          step.status === "completed"
            ? paidAt(atMs, code)
            : { status: step.status, resultCode: 1, resultDesc: "no", atMs };
        // What is final already stays in `open`, so that it is finished a second time.
        await shop.store.transactions.record([resolve(pending, outcome)]);
      }
    }
  }

  test("totals agree with a full scan after any mix of operations, refused ones too", async () => {
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        await run(steps);
        expect(await shop.areTotalsTrue()).toBe(true);
        const { summary } = await shop.store.transactionList.list(1, {}, { number: 1, limit: 1 });
        most = Math.max(most, summary.totalItems);
      }),
      // The example stands first: a few drawn mixes may all be short, or end with forgetting all.
      {
        numRuns: Math.ceil(40 / engine.cost),
        examples: [[[sale, sale, { does: "finish", which: 0, status: "completed" }]]],
      },
    );
    // Not only empty databases were compared.
    expect(most).toBeGreaterThan(1);
  });

  test("an operation that the database refuses changes no total", async () => {
    const pending = await insertPending(shop.store);
    expect(String(await rejectionOf(shop.store.transactions.insert(pending)))).toContain("UNIQUE");
    expect(await shop.areTotalsTrue()).toBe(true);
  });
});
