import type { Transaction } from "../../src/domain/transaction.ts";
import { transactionView } from "./views.ts";

/** Payments as CSV (RFC 4180) for a spreadsheet. */

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
] as const;

/** These stay dates for a spreadsheet. */
const TIMES: ReadonlySet<string> = new Set(["created_at", "completed_at"]);

/** Without it, Excel reads the file in the code page of the machine. */
const BYTE_ORDER_MARK = "\uFEFF";

export const CSV_HEAD = `${BYTE_ORDER_MARK}${COLUMNS.join(",")}\r\n`;

export function csvLine(transaction: Transaction): string {
  const view = transactionView(transaction);
  return `${COLUMNS.map((name) => cellOf(name, view[name])).join(",")}\r\n`;
}

function cellOf(name: string, value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = isChanged(value) && !TIMES.has(name) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The signs with which a formula begins, also as Japanese keyboards type them. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u;
/** Numbers, dates, times and percentages in digits, such as a phone or `1-2`; also `1e5`. */
const NUMBER = /^[\p{Nd}\s.,:/()%$€£¥-]*\p{Nd}[\p{Nd}\s.,:/()%$€£¥-]*(?:e[+-]?\d+|\s*[ap]m?)?$/iu;
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
/** Such as `1 Mar`, `MARCH-1`, `dec 2026`. */
const DATE = new RegExp(`^(?:\\d+[\\s/-]*)?(?:${MONTH})[\\s/-]*[\\d\\s,/-]*$`, "i");
const BOOLEAN = /^(?:true|false)$/i;

/** Whether a spreadsheet would run the text as a formula, or show a number, a date or a boolean in its place. */
const isChanged = (text: string): boolean => [FORMULA, NUMBER, DATE, BOOLEAN].some((form) => form.test(text));
