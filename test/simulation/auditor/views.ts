import type { End, Payment } from "./book.ts";
import { Anything, someNumber, someText } from "./discrepancy.ts";
import { toKes } from "./money.ts";
import { inNairobi, isReceipt } from "./nairobi.ts";

/** What both the status and the list show (§2.2): code and receipt exactly when the payment is completed. */
function commonMembers(payment: Payment, end: End | null) {
  const paidAtMs = end?.paidAtMs ?? null;
  const receipt = new Anything("a receipt number of that day", (value) => isReceipt(value, paidAtMs ?? 0));
  return {
    status: end?.status ?? "pending",
    amount: toKes(payment.amountCents),
    fee_amount: toKes(payment.feeCents),
    phone: payment.phone,
    checkout_request_id: payment.checkoutRequestId,
    merchant_request_id: payment.merchantRequestId,
    transaction_code: paidAtMs === null ? null : (payment.transactionCode ?? someText),
    momo_receipt_number: paidAtMs === null ? null : (end?.receipt ?? receipt),
    result_code: end?.code ?? null,
    result_desc: end?.desc ?? null,
    created_at: inNairobi(payment.createdAtMs),
    completed_at: paidAtMs === null ? null : inNairobi(paidAtMs),
  };
}

/** The answer of the status operation (§4.2), without `success` and `message`. */
export const statusOf = (payment: Payment) => commonMembers(payment, payment.end);

/** A transaction of the list (§2.2, §4.3). */
export function rowOf(payment: Payment, end: End | null) {
  return {
    ...commonMembers(payment, end),
    id: payment.id ?? someNumber,
    type: payment.kind.toUpperCase(),
    kind: payment.kind,
    fee_deducted: end?.status === "completed",
    is_deposit: payment.kind === "wallet_deposit",
    credit_target: null,
    payment_link_id: null,
  };
}
