import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AmountCents } from "../../../src/domain/money.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import { type FinalStatus, KINDS, type PendingTransaction } from "../../../src/domain/transaction.ts";
import { onEveryEngine, useOneShop } from "../../support/engines.ts";
import { CREATED_AT_MS, identified, insertPending, paidAt } from "../../support/shop.ts";

/** Totals change in the same commit as the rows that they count: here they are compared with a full count. */

interface Step {
  readonly does: "insert" | "finish" | "put off" | "insert twice" | "reset";
  readonly merchantId: number;
  readonly kind: (typeof KINDS)[number];
  readonly createdAtMs: number;
  readonly amountCents: number;
  /** Which of the payments so far. */
  readonly which: number;
  readonly status: FinalStatus;
}

const weighted = (weight: number, does: Step["does"]) => ({ weight, arbitrary: fc.constant(does) });
const anyStep: fc.Arbitrary<Step> = fc.record({
  does: fc.oneof(
    weighted(12, "insert"),
    weighted(12, "finish"),
    weighted(3, "put off"),
    weighted(2, "insert twice"),
    weighted(1, "reset"),
  ),
  merchantId: fc.constantFrom(1, 2),
  kind: fc.constantFrom(...KINDS),
  // 22:00 to 02:00 in Nairobi: midnight is there, and not in UTC.
  createdAtMs: fc.integer({ min: Date.UTC(2026, 10, 20, 19), max: Date.UTC(2026, 10, 20, 23) }),
  amountCents: fc.integer({ min: 100, max: 99_999_999_999 }),
  which: fc.nat({ max: 30 }),
  status: fc.constantFrom<FinalStatus>("completed", "failed", "cancelled", "expired"),
});

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 2);
  let receipts = 0;

  function finish(pending: PendingTransaction, status: FinalStatus) {
    receipts += 1;
    const atMs = pending.createdAtMs + 1;
    const outcome =
      status === "completed" ? paidAt(atMs, `R${receipts}`) : { status, resultCode: 1, resultDesc: "no", atMs };
    return shop.store.transactions.record([resolve(pending, outcome)]);
  }

  async function run(steps: readonly Step[]): Promise<void> {
    const { transactions } = shop.store;
    /** Also the payments that are final: a step can finish one twice. */
    let started: PendingTransaction[] = [];
    for (const { does, which, status, merchantId, kind, createdAtMs, amountCents } of steps) {
      const one = started[which % started.length];
      if (does === "insert") {
        const facts = { merchantId, paymentAccountId: merchantId, kind, createdAtMs };
        started.push(await insertPending(shop.store, { ...facts, amountCents: amountCents as AmountCents }));
      } else if (does === "reset") {
        await transactions.clear();
        started = [];
      } else if (one && does === "finish") await finish(one, status);
      else if (one && does === "put off") await transactions.record([{ ...one, checkAtMs: one.expiresAtMs }]);
      else if (one && does === "insert twice") {
        // The engine refuses the repeated payment, and stores the new one that is sent with it.
        const sound = await identified(shop.store);
        await Promise.allSettled([transactions.insert(one), transactions.insert(sound)]);
        started.push(sound);
      }
    }
  }

  test("totals equal a full count after any mix of operations, also of refused ones", async () => {
    let most = 0;
    const sale: Step = {
      ...{ does: "insert", merchantId: 1, kind: "api", createdAtMs: CREATED_AT_MS, amountCents: 100 },
      ...{ which: 0, status: "completed" },
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        await run(steps);
        expect(await shop.areTotalsTrue()).toBe(true);
        const { summary } = await shop.store.transactionList.list(1, {}, { number: 1, limit: 1 });
        most = Math.max(most, summary.totalItems);
      }),
      // With one example, the drawn mixes may all be short, or end with a reset.
      { numRuns: Math.ceil(40 / engine.cost), examples: [[[sale, sale, { ...sale, does: "finish" }]]] },
    );
    expect(most).toBeGreaterThan(1);
  });
});
