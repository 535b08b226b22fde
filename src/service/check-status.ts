import { Refusal } from "../domain/error.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";

/**
 * One transaction by its checkout request id (§4.2). Reads only: how often a client polls changes nothing.
 * @throws Refusal `not_found`, in the same words where it is another merchant's
 */
export async function checkStatus(
  { transactions }: Pick<Store, "transactions">,
  merchantId: number,
  checkoutRequestId: string,
): Promise<Transaction> {
  const transaction = await transactions.findByCheckoutRequestId(checkoutRequestId);
  if (transaction?.merchantId !== merchantId) {
    throw new Refusal("not_found", "checkout_request_id is not that of a payment of yours");
  }
  return transaction;
}
