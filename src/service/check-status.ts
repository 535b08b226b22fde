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
 * @throws Refusal `not_found`, with the same message if it is another merchant's
 */
export async function checkStatus(
  { store, upToDate }: Parts,
  merchantId: number,
  checkoutRequestId: string,
): Promise<Transaction> {
  const transaction = await upToDate.find(() => store.transactions.findByCheckoutRequestId(checkoutRequestId));
  if (transaction?.merchantId !== merchantId) {
    throw new Refusal("not_found", "checkout_request_id is not that of a payment of yours");
  }
  return transaction;
}
