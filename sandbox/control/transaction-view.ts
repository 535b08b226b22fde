import type { Transaction } from "../../src/domain/transaction.ts";
import { itemView } from "../../src/http/view.ts";

/** A transaction as the list shows it, and whose it is: here are those of all merchants. */
export function transactionView(transaction: Transaction) {
  return { merchant_id: transaction.merchantId, ...itemView(transaction, "full") };
}
