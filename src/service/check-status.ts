import { Refusal } from "../domain/error.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { UpToDate } from "./up-to-date.ts";

interface Parts {
  readonly store: Pick<Store, "transactions">;
  readonly upToDate: UpToDate;
}

/**
 * One transaction by its checkout request id (§4.2).
 * @returns it without a promise if the store has it in memory
 * @throws Refusal `not_found`, with the same message if it is another merchant's
 */
export function checkStatus(
  { store, upToDate }: Parts,
  merchantId: number,
  checkoutRequestId: string,
): Transaction | Promise<Transaction> {
  const found = upToDate.find(() => store.transactions.findByCheckoutRequestId(checkoutRequestId));
  return found instanceof Promise ? found.then((later) => ownOf(merchantId, later)) : ownOf(merchantId, found);
}

function ownOf(merchantId: number, transaction: Transaction | null): Transaction {
  if (transaction?.merchantId !== merchantId) {
    throw new Refusal("not_found", "checkout_request_id is not that of a payment of yours");
  }
  return transaction;
}
