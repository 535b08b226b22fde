import { PENDING, type TransactionRow, type toChange, type toNewRow } from "../rows.ts";
import type { TableRow } from "./options.ts";

/** Converts rows of `transactions`. int8 columns are read as float8, which the driver returns as numbers. */

const COLUMNS = {
  id: "bigint",
  merchant_id: "bigint",
  payment_account_id: "bigint",
  kind: "smallint",
  status: "smallint",
  amount_cents: "bigint",
  fee_cents: "bigint",
  phone: "bigint",
  reference: "text",
  description: "text",
  secret: "text",
  created_at_ms: "bigint",
  expires_at_ms: "bigint",
  check_at_ms: "bigint",
  completed_at_ms: "bigint",
  result_code: "integer",
  result_desc: "text",
  receipt_number: "text",
  memo: "text",
} as const satisfies Record<keyof TransactionRow, string>;

/** The columns of a {@link TransactionRow}, to be selected. */
export const ROW = Object.entries(COLUMNS)
  .map(([name, type]) => (type === "bigint" ? `${name}::float8 AS ${name}` : name))
  .join(", ");

/** A row as it was read, with the texts of the domain. */
export function fromRow(row: TransactionRow): TransactionRow {
  return {
    ...row,
    reference: fromStoredOrNull(row.reference),
    description: fromStoredOrNull(row.description),
    result_desc: fromStoredOrNull(row.result_desc),
    receipt_number: fromStoredOrNull(row.receipt_number),
    memo: fromStored(row.memo),
  };
}

export type NewRow = ReturnType<typeof toNewRow>;
export type Change = ReturnType<typeof toChange>;

export function newRowToJson(row: NewRow): TableRow {
  return {
    id: row.id,
    merchant_id: row.merchantId,
    payment_account_id: row.paymentAccountId,
    kind: row.kind,
    status: PENDING,
    amount_cents: row.amountCents,
    fee_cents: row.feeCents,
    phone: row.phone,
    reference: toStoredOrNull(row.reference),
    reference_folded: toStoredOrNull(row.referenceFolded),
    description: toStoredOrNull(row.description),
    secret: row.secret,
    created_at_ms: row.createdAtMs,
    expires_at_ms: row.expiresAtMs,
    check_at_ms: row.checkAtMs,
    memo: toStored(row.memo),
  };
}

export function changeToJson(change: Change): TableRow {
  return {
    id: change.id,
    status: change.status,
    check_at_ms: change.checkAtMs,
    completed_at_ms: change.completedAtMs,
    result_code: change.resultCode,
    result_desc: toStoredOrNull(change.resultDesc),
    receipt_number: toStoredOrNull(change.receiptNumber),
    memo: toStored(change.memo),
  };
}

/** Whether a row is as a change leaves it. */
export function isChanged(row: TransactionRow, change: Change): boolean {
  return Object.entries(changeToJson(change)).every(([name, value]) => row[name as keyof TransactionRow] === value);
}

/** Numbers as one parameter, to be cast with `::text::bigint[]`. */
export const numbers = (ids: Iterable<number>): string => `{${[...ids].join(",")}}`;

/**
 * PostgreSQL stores no NUL in a text, and merchants may send one. NUL and the escape character are stored as two characters each.
 * The start of a text is stored as the start of its stored form, so searches by the start of a text still work.
 */

const MARK = "\u0001";
const NUL_WRITTEN = `${MARK}\u0001`;
const MARK_WRITTEN = `${MARK}\u0002`;

export const toStored = (text: string): string => text.replaceAll(MARK, MARK_WRITTEN).replaceAll("\0", NUL_WRITTEN);

export const fromStored = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(NUL_WRITTEN, "\0").replaceAll(MARK_WRITTEN, MARK) : text;

/** The same for a column that can be empty. */
const toStoredOrNull = (text: string | null): string | null => (text === null ? null : toStored(text));
const fromStoredOrNull = (text: string | null): string | null => (text === null ? null : fromStored(text));
