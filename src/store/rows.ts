import { assert, impossible } from "../domain/assert.ts";
import { type RequestIds, receiptNumber, secretOf, transactionCode } from "../domain/identifiers.ts";
import { foldCase } from "../domain/list.ts";
import type { AmountCents } from "../domain/money.ts";
import { textOfCode } from "../domain/outcome.ts";
import type { Msisdn } from "../domain/phone.ts";
import {
  KINDS,
  type Kind,
  type PendingTransaction,
  STATUSES,
  type Status,
  type Transaction,
  type TransactionFacts,
} from "../domain/transaction.ts";

/** Converts rows to types of the domain, and back. Values that derive from other columns are not stored. */

export const codeOfKind = (kind: Kind): number => KINDS.indexOf(kind);
export const codeOfStatus = (status: Status): number => STATUSES.indexOf(status);

/** The codes that SQL names. The CHECKs use them, too. */
export const PENDING: number = codeOfStatus("pending");
export const COMPLETED: number = codeOfStatus("completed");

export interface TransactionRow {
  readonly id: number;
  readonly merchant_id: number;
  readonly payment_account_id: number;
  readonly kind: number;
  readonly status: number;
  readonly amount_cents: number;
  readonly fee_cents: number;
  readonly phone: number;
  readonly reference: string | null;
  readonly description: string | null;
  readonly secret: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly check_at_ms: number | null;
  readonly completed_at_ms: number | null;
  readonly result_code: number | null;
  readonly result_desc: string | null;
  readonly receipt_number: string | null;
  readonly memo: string;
}

/** The columns of a {@link TransactionRow}. */
export const COLUMNS = `id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference, description,
  secret, created_at_ms, expires_at_ms, check_at_ms, completed_at_ms, result_code, result_desc, receipt_number, memo`;

/** The columns of {@link toNewRow}. */
const NEW_ROW = `id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference, reference_folded,
  description, secret, created_at_ms, expires_at_ms, check_at_ms, memo`;

/** Inserts a {@link toNewRow}. */
export const INSERT = `INSERT INTO transactions (${NEW_ROW}) VALUES (${NEW_ROW.replaceAll(/\w+/g, "$$$&")})`;

/** A row of a transaction without a result. */
export type NewRow = Omit<TransactionRow, "completed_at_ms" | "result_code" | "result_desc" | "receipt_number"> & {
  readonly reference_folded: string | null;
};

/** The row of a transaction that has just been opened. */
export function toNewRow(pending: PendingTransaction): NewRow {
  const { reference } = pending;
  return {
    id: pending.id,
    merchant_id: pending.merchantId,
    payment_account_id: pending.paymentAccountId,
    kind: codeOfKind(pending.kind),
    status: PENDING,
    amount_cents: pending.amountCents,
    fee_cents: pending.feeCents,
    phone: Number(pending.phone),
    reference,
    reference_folded: foldedOf(reference),
    description: pending.description,
    secret: secretOf(pending.checkoutRequestId),
    created_at_ms: pending.createdAtMs,
    expires_at_ms: pending.expiresAtMs,
    check_at_ms: pending.checkAtMs,
    memo: pending.memo,
  };
}

/** A reference without its letter case, for the search; null if the reference is the same without letter case. */
export function foldedOf(reference: unknown): string | null {
  const folded = typeof reference === "string" ? foldCase(reference) : reference;
  return folded === reference ? null : String(folded);
}

/** The columns that an outcome changes, and the id of the row. */
export type Change = Pick<
  TransactionRow,
  "id" | "status" | "check_at_ms" | "completed_at_ms" | "result_code" | "result_desc" | "receipt_number" | "memo"
>;

export function toChange(outcome: Transaction): Change {
  const ended = outcome.status === "pending" ? null : outcome;
  const paid = outcome.status === "completed" ? outcome : null;
  const standardText = ended && textOfCode(ended.resultCode);
  const derivedReceipt = paid && receiptNumber(paid.completedAtMs, paid.id);
  return {
    id: outcome.id,
    status: codeOfStatus(outcome.status),
    check_at_ms: outcome.status === "pending" ? outcome.checkAtMs : null,
    completed_at_ms: paid?.completedAtMs ?? null,
    result_code: ended?.resultCode ?? null,
    result_desc: ended && ended.resultDesc !== standardText ? ended.resultDesc : null,
    receipt_number: paid && paid.receiptNumber !== derivedReceipt ? paid.receiptNumber : null,
    memo: outcome.memo,
  };
}

/** The first outcome of a transaction counts. */
export function firstOfEach<T extends Transaction>(outcomes: readonly T[]): T[] {
  const firsts = new Map<number, T>();
  for (const outcome of outcomes) if (!firsts.has(outcome.id)) firsts.set(outcome.id, outcome);
  return [...firsts.values()];
}

/** The transaction of a row. The CHECKs allow no other row. */
export function toTransaction(row: TransactionRow, requestIds: RequestIds): Transaction {
  const { id } = row;
  const { checkoutRequestId, merchantRequestId } = requestIds.restore(id, row.created_at_ms, row.secret);
  const facts: TransactionFacts = {
    id,
    merchantId: row.merchant_id,
    paymentAccountId: row.payment_account_id,
    kind: KINDS[row.kind] ?? impossible("unknown code of a kind"),
    amountCents: row.amount_cents as AmountCents,
    feeCents: row.fee_cents,
    phone: String(row.phone) as Msisdn,
    reference: row.reference,
    description: row.description,
    checkoutRequestId,
    merchantRequestId,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
  const status = STATUSES[row.status] ?? impossible("unknown code of a status");
  if (status === "pending") {
    assert(row.check_at_ms !== null, "a pending payment is checked");
    return { ...facts, status, checkAtMs: row.check_at_ms, memo: row.memo };
  }
  assert(row.result_code !== null, "a payment that ended has a code");
  const resultDesc = row.result_desc ?? textOfCode(row.result_code) ?? impossible("a result code without a text");
  if (status !== "completed") return { ...facts, status, resultCode: row.result_code, resultDesc, memo: row.memo };
  assert(row.completed_at_ms !== null, "a completed payment has the time of its end");
  return {
    ...facts,
    status,
    transactionCode: transactionCode(id),
    receiptNumber: row.receipt_number ?? receiptNumber(row.completed_at_ms, id),
    resultCode: 0,
    resultDesc,
    completedAtMs: row.completed_at_ms,
    memo: row.memo,
  };
}

/** A transaction of a statement that reads only those with this status. */
export function expectStatus<S extends Status>(status: S, transaction: Transaction) {
  assert(transaction.status === status, "the statement reads this status");
  return transaction as Extract<Transaction, { readonly status: S }>;
}
