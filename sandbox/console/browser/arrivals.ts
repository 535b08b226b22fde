import { belongs } from "./logic/filters.ts";
import { formatPhone } from "./logic/format.ts";
import { has, mergeNewestFirst } from "./logic/merge.ts";
import * as state from "./state.ts";
import type { Message, Transaction } from "./wire.ts";

/** Merges events and lists into the state, within bounds. */

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

/** The references of all known payments. */
export const knownReferences = () => [...known.values()].map(({ reference }) => reference);

/** Whether a payment is known to have ended. */
export const hasEnded = (checkoutRequestId: string): boolean =>
  (known.get(checkoutRequestId)?.status ?? "pending") !== "pending";

/** Inserts payments into the list, and removes those that the filters no longer select. */
export function addRows(transactions: readonly Transaction[]): void {
  const { rows, filters } = state;
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
  state.story.value = null;
  state.pickedPhone.value = null;
  state.requests.value = [];
  state.messages.value = [];
  state.phoneNotes.value = new Map();
  state.findings.value = [];
}

export function addMessages(texts: readonly Message[]): void {
  const here = new Set(state.messages.value.map(({ checkout_request_id }) => checkout_request_id));
  const added = texts.filter(({ checkout_request_id }) => !here.has(checkout_request_id));
  if (added.length === 0) return;
  state.messages.value = [...added, ...state.messages.value]
    .sort((a, b) => b.at_ms - a.at_ms)
    .slice(0, state.MOST_MESSAGES);
  addPhones(added.map(({ phone }) => phone));
}

/** More phones than a person can read. */
const MOST_PHONES = 200;

export function addPhones(phones: readonly string[]): void {
  const seen = state.phonesSeen.value;
  const added = [...new Set(phones)].filter((phone) => !seen.includes(phone));
  if (added.length === 0) return;
  const rings = (phone: string) => state.promptsByPhone.value.has(phone) || phone === state.pickedPhone.value;
  const all = [...seen, ...added];
  const surplus = all.length - MOST_PHONES;
  const leaving = new Set(surplus > 0 ? all.filter((phone) => !rings(phone)).slice(0, surplus) : []);
  state.phonesSeen.value = all.filter((phone) => !leaving.has(phone)).slice(-MOST_PHONES);
}

/** @param note if the phone has another one by now, that stays */
export function removeNote(phone: string, note = state.phoneNotes.value.get(phone)): void {
  const notes = [...state.phoneNotes.value];
  state.phoneNotes.value = new Map(notes.filter(([other, held]) => other !== phone || held !== note));
}
