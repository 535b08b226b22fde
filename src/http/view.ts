import { counted } from "../domain/counted.ts";
import { FILTER_NAMES, shownFilter } from "../domain/filters.ts";
import type { Summary } from "../domain/list.ts";
import { toShillings } from "../domain/money.ts";
import { formatTimestamp } from "../domain/timestamp.ts";
import type { Kind, Transaction } from "../domain/transaction.ts";
import type { TransactionOnWire } from "./answers.ts";
import type { ListInput } from "./input.ts";
import type { Profile } from "./profile.ts";

/** Answers in JSON. Only JSON and SQL use snake case. */

export const STARTED = "STK push sent: the customer has been asked for a PIN";

/** The answer of §4.1. */
export function startedView(transaction: Transaction, { response_form }: Profile) {
  return {
    ...(response_form !== "short" && { transaction_id: transaction.id }),
    checkout_request_id: transaction.checkoutRequestId,
    merchant_request_id: transaction.merchantRequestId,
  };
}

/** The answer of §4.2. */
export function statusView(transaction: Transaction, profile: Profile) {
  const item = itemView(transaction, profile);
  const { status, amount, phone, transaction_code, created_at } = item;
  if (profile.response_form === "short") return { status, amount, phone, transaction_code, created_at };
  return {
    status,
    amount,
    fee_amount: item.fee_amount,
    phone,
    transaction_code,
    momo_receipt_number: item.momo_receipt_number,
    checkout_request_id: item.checkout_request_id,
    merchant_request_id: item.merchant_request_id,
    result_code: item.result_code,
    result_desc: item.result_desc,
    created_at,
    completed_at: item.completed_at,
  };
}

/** One transaction of the list (§2.2). The members of the outcome are null while it is pending. */
export function itemView(transaction: Transaction, { phone, timestamps, results }: Profile = {}): TransactionOnWire {
  const { id, kind, status } = transaction;
  const at = (atMs: number) => (timestamps === "utc" ? formatTimestamp(atMs, 0) : formatTimestamp(atMs));
  const final = transaction.status === "pending" ? null : transaction;
  const completed = transaction.status === "completed" ? transaction : null;
  return {
    id,
    kind,
    type: kind.toUpperCase() as Uppercase<Kind>,
    status,
    amount: toShillings(transaction.amountCents),
    fee_amount: toShillings(transaction.feeCents),
    fee_deducted: completed !== null,
    phone: phone === undefined ? transaction.phone : phone + transaction.phone.slice("254".length),
    transaction_code: completed?.transactionCode ?? null,
    momo_receipt_number: completed?.receiptNumber ?? null,
    checkout_request_id: transaction.checkoutRequestId,
    merchant_request_id: transaction.merchantRequestId,
    is_deposit: kind === "wallet_deposit",
    credit_target: null,
    payment_link_id: null,
    result_code: final?.resultCode ?? null,
    result_desc: final && (results?.[final.resultCode] ?? final.resultDesc),
    created_at: at(transaction.createdAtMs),
    completed_at: completed && at(completed.completedAtMs),
  };
}

function shortItemView(transaction: Transaction, profile: Profile) {
  const { id, type, status, amount, fee_amount, fee_deducted, phone, transaction_code, created_at, completed_at } =
    itemView(transaction, profile);
  return { id, type, status, amount, fee_amount, fee_deducted, phone, transaction_code, created_at, completed_at };
}

/** The filters in force. */
function filtersApplied(input: ListInput): Record<string, unknown> {
  const given = FILTER_NAMES.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, shownFilter(name, input[name])]));
}

/** The answer of §4.3. */
export function listView(
  { rows, summary }: { rows: readonly Transaction[]; summary: Summary },
  input: ListInput,
  profile: Profile,
) {
  const { page, limit } = input;
  const isShort = profile.response_form === "short";
  const name = profile.array_name ?? (isShort ? "data" : "transactions");
  const around = {
    pagination: {
      current_page: page,
      per_page: limit,
      total_items: summary.totalItems,
      total_pages: Math.ceil(summary.totalItems / limit),
    },
    filters_applied: filtersApplied(input),
  };
  // A profile can give the array of either form the name of the other one.
  return isShort
    ? { [name]: rows.map((row) => shortItemView(row, profile)), ...around }
    : { [name]: rows.map((row) => itemView(row, profile)), summary: summaryView(summary), ...around };
}

export const listMessage = ({ totalItems }: Summary): string => counted(totalItems, "transaction");

export function summaryView(summary: Summary) {
  return {
    total_completed_amount: toShillings(summary.completedAmountCents),
    completed_count: summary.completedCount,
    pending_count: summary.pendingCount,
    failed_count: summary.failedCount,
  };
}
