import type { End, Payment } from "./book.ts";
import { Anything, someText } from "./discrepancy.ts";
import { toKes } from "./money.ts";
import { inNairobi, isReceipt } from "./nairobi.ts";

/** What both the status and the list show of an end (§2.2): code and receipt exactly when it is completed. */
function endMembers(payment: Payment, end: End | null) {
  const paidAtMs = end?.paidAtMs ?? null;
  const receipt = new Anything("a receipt number of that day", (value) => isReceipt(value, paidAtMs ?? 0));
  return {
    transaction_code: paidAtMs === null ? null : (payment.transactionCode ?? someText),
    momo_receipt_number: paidAtMs === null ? null : (end?.receipt ?? receipt),
    result_code: end?.code ?? null,
    result_desc: end?.desc ?? null,
    completed_at: paidAtMs === null ? null : inNairobi(paidAtMs),
  };
}

/** The answer of the status operation (§4.2), without `success` and `message`. */
export function statusOf(payment: Payment, form: "full" | "short") {
  const { amountCents, phone, createdAtMs, end } = payment;
  const { transaction_code, momo_receipt_number, result_code, result_desc, completed_at } = endMembers(payment, end);
  const status = end?.status ?? "pending";
  const created_at = inNairobi(createdAtMs);
  const minimal = { status, amount: toKes(amountCents), phone, transaction_code, created_at };
  if (form === "short") return minimal;
  return {
    ...minimal,
    ...{ momo_receipt_number, result_code, result_desc, completed_at },
    fee_amount: toKes(payment.feeCents),
    checkout_request_id: payment.checkoutRequestId,
    merchant_request_id: payment.merchantRequestId,
  };
}

/** A transaction of the list (§2.2, §4.3). */
export function rowOf(payment: Payment, end: End | null, form: "full" | "short") {
  const { kind, phone, amountCents, feeCents, createdAtMs } = payment;
  const { transaction_code, completed_at, ...network } = endMembers(payment, end);
  const status = end?.status ?? "pending";
  const short = {
    id: payment.id ?? new Anything("a number from 1", (value) => Number.isInteger(value) && (value as number) > 0),
    type: kind.toUpperCase(),
    ...{ status, phone, transaction_code, completed_at },
    amount: toKes(amountCents),
    fee_amount: toKes(feeCents),
    fee_deducted: status === "completed",
    created_at: inNairobi(createdAtMs),
  };
  if (form === "short") return short;
  return {
    ...short,
    ...network,
    kind,
    checkout_request_id: payment.checkoutRequestId,
    merchant_request_id: payment.merchantRequestId,
    is_deposit: kind === "wallet_deposit",
    credit_target: null,
    payment_link_id: null,
  };
}
