import { foldCase, type Page } from "../domain/filter.ts";
import { numberOfCode, numberOfReceipt, type RequestIds } from "../domain/identifiers.ts";
import { parsePhonePrefix } from "../domain/phone.ts";
import { MAX_REFERENCE_LENGTH, type Transaction } from "../domain/transaction.ts";

/** What both engines read in the filter of a list: bounds, and what its search means. */

/** Days before and after any time that a clock of momo can show. */
export const EVER = { first: -1, last: 4_000_000 };

/** How many rows come before a page. The limit keeps it a safe integer. */
export const offsetOf = ({ number, limit }: Page): number => Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER);

/** The numbers of the transactions that may have this text as an identifier. */
export function numbersIn(search: string, requestIds: RequestIds): number[] {
  const decoded = [requestIds.numberOf(search), numberOfCode(search), numberOfReceipt(search)];
  return decoded.filter((number): number is number => number !== null && Number.isSafeInteger(number));
}

/** Whether a transaction has this text as an identifier, in any letter case. */
export function isNamed(transaction: Transaction, search: string): boolean {
  const { checkoutRequestId, merchantRequestId } = transaction;
  const names = [checkoutRequestId, merchantRequestId];
  if (transaction.status === "completed") names.push(transaction.transactionCode, transaction.receiptNumber);
  const text = search.toLowerCase();
  return names.some((name) => name.toLowerCase() === text);
}

/** The ranges of the phones and of the references that start with a text. */
export interface SearchRanges {
  /** Null if no phone starts with it. */
  readonly phone: { readonly from: number; readonly before: number } | null;
  readonly reference: { readonly from: string; readonly before: string };
}

const MSISDN_LENGTH = 12;

/**
 * A text that sorts after every reference: the last character of Unicode, repeated more often than the longest reference has
 * characters. That is twice its length, because PostgreSQL stores a NUL as two characters.
 */
const LAST_TEXT = "\u{10FFFF}".repeat(2 * MAX_REFERENCE_LENGTH + 1);

export function rangesOf(search: string): SearchRanges {
  const folded = foldCase(search);
  const prefix = parsePhonePrefix(search);
  const missing = MSISDN_LENGTH - (prefix?.length ?? 0);
  return {
    phone:
      prefix === null || missing < 0
        ? null
        : { from: Number(prefix) * 10 ** missing, before: (Number(prefix) + 1) * 10 ** missing },
    reference: { from: folded, before: folded + LAST_TEXT },
  };
}
