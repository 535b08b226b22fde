import type { Transaction } from "../../src/domain/transaction.ts";
import { itemView } from "../../src/http/view.ts";

/** A transaction as the list shows it, with what people look for it by, and whose it is: here are those of all merchants. */
export function transactionView(transaction: Transaction) {
  const { merchantId, reference } = transaction;
  return { merchant_id: merchantId, reference, ...itemView(transaction, "full") };
}
