import { belongs } from "./logic/filters.ts";
import { formatPhone } from "./logic/format.ts";
import { isNewer } from "./logic/merge.ts";
import * as state from "./state.ts";
import type { Transaction } from "./wire.ts";

/** Merges payments of events and lists into the state, within bounds. */

/** The payments of events and lists, the last ones that came. A poll has only the id of its payment. */
const known = new Map<string, Transaction>();
const MOST_KNOWN = 2000;

/** @returns the payments in their newest state: a list may be older than an event, but a payment that has ended stays as it is */
export function remember(transactions: readonly Transaction[]): Transaction[] {
  const newest = transactions.map(
    (one) => (hasEnded(one.checkout_request_id) ? known.get(one.checkout_request_id) : one) ?? one,
  );
  for (const one of newest) {
    known.delete(one.checkout_request_id);
    known.set(one.checkout_request_id, one);
    const before = state.newestPayment.value;
    const isOurs = one.merchant_id === state.merchantId.value;
    if (isOurs && (before?.merchant_id !== one.merchant_id || !isNewer(before, one))) state.newestPayment.value = one;
  }
  for (const id of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(id);
  }
  return newest;
}

/** The reference or the phone of a payment; the id if it is not known. */
export function nameOf(checkoutRequestId: string): string {
  // Most are known when everything is loaded, so a view with a name is drawn again then.
  state.isLoaded.value;
  const payment = known.get(checkoutRequestId);
  return payment ? (payment.reference ?? formatPhone(payment.phone)) : checkoutRequestId;
}

export const knownReferences = () => [...known.values()].map(({ reference }) => reference);

export const hasEnded = (checkoutRequestId: string): boolean =>
  (known.get(checkoutRequestId)?.status ?? "pending") !== "pending";

/** Adds the payments that the filters select. Only the server knows it of some. */
export function addRows(transactions: readonly Transaction[]): void {
  // The first load has them, too. If they were shown before, that load would move rows under a hand.
  if (state.answeredSelection.value === null) return;
  const ours = transactions.filter(({ merchant_id }) => merchant_id === state.merchantId.value);
  const rows = [...state.payments.rows.value, ...state.payments.waiting.value];
  const shown = new Set(rows.map(({ id }) => id));
  const last = state.payments.rows.value.at(-1);
  const isWhole = !last || rows.length >= (state.totalItems.value ?? 0);
  // Below the last row, others would be missing.
  const follows = (one: Transaction) => isWhole || isNewer(one, last);
  state.payments.add(
    ours.filter((one) => shown.has(one.id) || (follows(one) && belongs(one, state.filters.value) === true)),
  );
}

/** Removes payments, requests and messages: the server is another one, or was reset. */
export function forgetAll(): void {
  // What arrives from now on waits for the rows that are loaded next.
  state.answeredSelection.value = null;
  known.clear();
  state.newestPayment.value = null;
  state.story.value = null;
  state.pickedPhone.value = null;
  state.requests.replace([]);
  state.messages.value = [];
  state.phoneNotes.value = new Map();
  state.findings.value = [];
}
