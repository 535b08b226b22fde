import { belongs } from "./logic/filters.ts";
import { formatPhone } from "./logic/format.ts";
import { has, mergeNewestFirst } from "./logic/merge.ts";
import * as state from "./state.ts";
import type { Transaction } from "./wire.ts";

/** Merges payments of events and lists into the state, within bounds. */

/** The payments of events and lists, the last ones that came. A poll has only the id of its payment. */
const known = new Map<string, Transaction>();
const MOST_KNOWN = 12_000;

/** @returns the payments in their newest state: a list may be older than an event, but a payment that has ended stays as it is */
export function remember(transactions: readonly Transaction[]): Transaction[] {
  const newest = transactions.map(
    (one) => (hasEnded(one.checkout_request_id) ? known.get(one.checkout_request_id) : one) ?? one,
  );
  for (const one of newest) {
    known.delete(one.checkout_request_id);
    known.set(one.checkout_request_id, one);
  }
  for (const one of newest) {
    const before = state.newestPayment.value;
    const isOurs = one.merchant_id === state.merchantId.value;
    if (isOurs && (before?.merchant_id !== one.merchant_id || !isOlder(one, before))) state.newestPayment.value = one;
  }
  for (const id of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(id);
  }
  return newest;
}

/** In the order of the server: replicas that share a store do not give ids in the order of time. */
const isOlder = (one: Transaction, other: Transaction): boolean =>
  one.created_at === other.created_at ? one.id < other.id : one.created_at < other.created_at;

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

/** Inserts payments into the list, and removes those that the filters no longer select. */
export function addRows(transactions: readonly Transaction[]): void {
  const { rows, filters } = state;
  // The first load has them, too. If they were shown before, that load would move rows under a hand.
  if (state.answeredSelection.value === null) return;
  const ours = transactions.filter(({ merchant_id }) => merchant_id === state.merchantId.value);
  const oldest = rows.value.at(-1)?.id ?? 0;
  const isAll = rows.value.length >= (state.totalItems.value ?? 0);
  const fitting = ours.filter((transaction) => {
    if (!isAll && transaction.id < oldest) return false;
    return belongs(transaction, filters.value) ?? has(rows.value, transaction.id);
  });
  const leaving = new Set(ours.filter((one) => belongs(one, filters.value) === false).map(({ id }) => id));
  const staying = leaving.size === 0 ? rows.value : rows.value.filter(({ id }) => !leaving.has(id));
  rows.value = mergeNewestFirst(staying, fitting, state.MOST_ROWS);
}

/** Payments that started after a list was made, and that belong to it. */
export function startedAfter(list: readonly Transaction[]): Transaction[] {
  const newest = list[0]?.id ?? 0;
  return [...known.values()].filter(
    (one) =>
      one.id > newest && one.merchant_id === state.merchantId.value && belongs(one, state.filters.value) === true,
  );
}

/** Removes payments, requests and messages: the server is another one, or was reset. */
export function forgetAll(): void {
  known.clear();
  state.newestPayment.value = null;
  state.story.value = null;
  state.pickedPhone.value = null;
  state.requests.value = [];
  state.messages.value = [];
  state.phoneNotes.value = new Map();
  state.findings.value = [];
}
