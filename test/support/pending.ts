import type { PendingTransaction } from "../../src/domain/transaction.ts";
import type { ControlScene } from "./control.ts";
import { START_MS } from "./harness.ts";
import { identified } from "./shop.ts";

type Scene = Pick<ControlScene, "harness" | "caller">;

/** Stores `count` payments of the first caller. The network completes the first after `afterMs`, then one each millisecond. */
export function insertDue({ harness, caller }: Scene, count: number, afterMs = 1): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const due = await dueAt({ harness, caller }, afterMs + index);
      await harness.store.transactions.insert(due);
      return due.id;
    }),
  );
}

async function dueAt({ harness, caller }: Scene, afterMs: number): Promise<PendingTransaction> {
  const checkAtMs = START_MS + afterMs;
  const pending = await identified(harness.store, {
    merchantId: caller.merchantId,
    paymentAccountId: caller.accountId,
    createdAtMs: START_MS,
    expiresAtMs: checkAtMs + 60_000,
  });
  return { ...pending, memo: `completed ${checkAtMs}`, checkAtMs };
}
