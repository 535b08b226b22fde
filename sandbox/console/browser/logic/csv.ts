import type { Transaction } from "../wire.ts";

/** The filtered list as CSV for a spreadsheet. */

const COLUMNS = [
  "id",
  "created_at",
  "reference",
  "phone",
  "amount",
  "fee_amount",
  "status",
  "result_code",
  "result_desc",
  "momo_receipt_number",
  "transaction_code",
  "completed_at",
  "kind",
  "checkout_request_id",
  "merchant_request_id",
] as const satisfies readonly (keyof Transaction)[];

export function csvOf(transactions: readonly Transaction[]): string {
  const lines = transactions.map((transaction) => COLUMNS.map((name) => cell(transaction[name])).join(","));
  return `${[COLUMNS.join(","), ...lines].join("\r\n")}\r\n`;
}

/** Puts an apostrophe before text that a spreadsheet would run as a formula: references come from clients. */
function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
