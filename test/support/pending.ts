import type { NewTransaction } from "../../src/domain/transaction.ts";
import type { ControlScene } from "./control.ts";
import { START_MS } from "./harness.ts";
import { pendingOf } from "./payments.ts";

/** Stores so many payments of the first caller that the network completes one by one, the first after `afterMs`, then each ms. */
export function insertDue({ harness, caller }: ControlScene, count: number, afterMs = 1): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => harness.store.transactions.insert(dueAt(caller, afterMs + index))),
  );
}

function dueAt(caller: ControlScene["caller"], afterMs: number): NewTransaction {
  const checkAtMs = START_MS + afterMs;
  const pending = pendingOf({
    merchantId: caller.merchantId,
    paymentAccountId: caller.accountId,
    createdAtMs: START_MS,
    expiresAtMs: checkAtMs + 60_000,
  });
  return { ...pending, memo: `completed ${checkAtMs}`, checkAtMs };
}
