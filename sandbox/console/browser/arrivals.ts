import { belongs } from "./logic/filters.ts";
import { formatPhone } from "./logic/format.ts";
import { has, mergeNewestFirst } from "./logic/merge.ts";
import * as state from "./state.ts";
import type { Message, Transaction } from "./wire.ts";

/**
 * Merges events and lists into the state, within bounds. A list may be older than an event that has already arrived,
 * so the last event of each payment is kept here, and no list replaces it.
 */

/** The last event of each payment, the oldest first. */
const lastEvents = new Map<string, Transaction>();
const MOST_EVENTS = 2000;

/** The reference and phone of a payment, for requests that have only its id, such as a poll. The newest are kept. */
const known = new Map<string, Pick<Transaction, "reference" | "phone">>();
const MOST_KNOWN = 12_000;

export function knowPayments(transactions: readonly Transaction[]): void {
  for (const { checkout_request_id, reference, phone } of transactions) {
    if (!known.has(checkout_request_id)) known.set(checkout_request_id, { reference, phone });
  }
  dropOldest(known, MOST_KNOWN);
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const id of map.keys()) {
    if (map.size <= most) break;
    map.delete(id);
  }
}

/** The reference or the phone of a payment; the id if it is not known. */
export function nameOf(checkoutRequestId: string): string {
  const payment = known.get(checkoutRequestId);
  return payment ? (payment.reference ?? formatPhone(payment.phone)) : checkoutRequestId;
}

export function rememberEvents(events: readonly Transaction[]): void {
  knowPayments(events);
  for (const event of events) {
    lastEvents.delete(event.checkout_request_id);
    lastEvents.set(event.checkout_request_id, event);
  }
  dropOldest(lastEvents, MOST_EVENTS);
}

/** A list with the newest state of each payment. */
export const upToDate = (list: readonly Transaction[]): Transaction[] =>
  list.map((transaction) =>
    transaction.status === "pending" ? (lastEvents.get(transaction.checkout_request_id) ?? transaction) : transaction,
  );

/** Whether an event says that a payment has ended. */
export const hasEnded = (checkoutRequestId: string): boolean =>
  (lastEvents.get(checkoutRequestId)?.status ?? "pending") !== "pending";

/** Inserts payments into the list with their newest state, and removes those that the filters no longer select. */
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
  return [...lastEvents.values()].filter(
    (event) =>
      event.id > newest && event.merchant_id === state.merchantId.value && belongs(event, state.filters.value) === true,
  );
}

/** Removes payments, requests and messages: the server is another one, or was reset. */
export function forgetAll(): void {
  lastEvents.clear();
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
