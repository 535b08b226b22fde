import { Refusal } from "../domain/error.ts";
import type { Listeners } from "../domain/listeners.ts";
import type { Outcome } from "../domain/outcome.ts";
import { resolve } from "../domain/state-machine.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Reads } from "./reads.ts";

interface Parts {
  readonly store: Pick<Store, "transactions">;
  readonly changes: Listeners<[Transaction]>;
  readonly reads: Pick<Reads, "findByCheckoutRequestId">;
}

/**
 * The provider reports an outcome before it is checked (§3: pending → final). The outcome is on disk when this returns.
 * @param outcomeOf makes the outcome of the prompt
 * @throws Refusal `not_found` for an unknown transaction, `conflict` for one that is final already: the first outcome wins
 */
export async function answerPrompt(
  { store, changes, reads }: Parts,
  checkoutRequestId: string,
  outcomeOf: (pending: PendingTransaction) => Outcome,
): Promise<Transaction> {
  const pending = await reads.findByCheckoutRequestId(checkoutRequestId);
  if (!pending) throw new Refusal("not_found", "there is no prompt with this checkout request id");
  if (pending.status !== "pending") throw alreadyFinal(pending);
  const outcome = outcomeOf(pending);
  const final = resolve(pending, outcome);
  const [changed] = await store.transactions.record([final]);
  if (changed === undefined) {
    // Another outcome was written between the lookup and this write.
    throw alreadyFinal((await store.transactions.findByCheckoutRequestId(checkoutRequestId)) ?? final);
  }
  changes.announce(final);
  // After the deadline the prompt has expired, whatever the outcome was.
  if (final.status !== outcome.status) throw alreadyFinal(final);
  return final;
}

function alreadyFinal({ status }: Transaction): Refusal {
  return new Refusal("conflict", `the prompt has been answered already: the payment is ${status}`);
}
