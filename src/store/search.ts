import { numberOfCode, numberOfReceipt, type RequestIds } from "../domain/identifiers.ts";
import { foldCase, REFERENCE_SEPARATORS } from "../domain/list.ts";
import { parsePhonePrefix } from "../domain/phone.ts";
import { MAX_REFERENCE_LENGTH, type Transaction } from "../domain/transaction.ts";

/** What the text of a search can mean: the start of a phone, the start or the end of a reference, or an identifier. */

/** What a search looks for. */
export interface Searched {
  /** The phones that start with the text; null if none can. */
  readonly phone: { readonly from: number; readonly before: number } | null;
  /** The references that start with it, without their letter case. */
  readonly reference: { readonly from: string; readonly before: string };
  /** References that end with one of these are found. All have one length. Empty: ends are not searched. */
  readonly ends: readonly string[];
  /** The transactions that have it as an identifier. */
  readonly named: readonly number[];
}

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

const MSISDN_LENGTH = 12;

/**
 * A text that sorts after every reference: the last character of Unicode, repeated more often than the longest reference has
 * characters. That is twice its length, because PostgreSQL stores a NUL as two characters.
 */
const LAST_TEXT = "\u{10FFFF}".repeat(2 * MAX_REFERENCE_LENGTH + 1);

/** The phones and the references that start with a text, and the references that end with it. */
export function rangesOf(search: string, findsEnds = false): Omit<Searched, "named"> {
  const start = foldCase(search);
  const prefix = parsePhonePrefix(search);
  const missing = MSISDN_LENGTH - (prefix?.length ?? 0);
  return {
    phone:
      prefix === null || missing < 0
        ? null
        : { from: Number(prefix) * 10 ** missing, before: (Number(prefix) + 1) * 10 ** missing },
    reference: { from: start, before: start + LAST_TEXT },
    ends: findsEnds ? REFERENCE_SEPARATORS.map((separator) => separator + start) : [],
  };
}
