import * as state from "./state.ts";
import type { Message, Transaction } from "./wire.ts";

/** Takes in what arrives, by an event or by a list, and forgets the oldest where it becomes too much. */

/** A transaction, and the last call that was answered before it was seen; null for what was not seen as it happened. */
export interface Seen {
  readonly transaction: Transaction;
  readonly afterRequestId: number | null;
}

export function rememberEnds(seen: readonly Seen[]): void {
  const ends = new Map(state.ends.value);
  for (const { transaction, afterRequestId } of seen) {
    const id = transaction.checkout_request_id;
    const end = state.endOf(transaction);
    // What was seen first is known best.
    if (end.status === "pending" || (ends.get(id)?.status ?? "pending") === "pending") {
      ends.set(id, end.status === "pending" ? end : { ...end, afterRequestId });
    }
  }
  for (const id of ends.keys()) {
    if (ends.size <= state.MOST_ENDS) break;
    ends.delete(id);
  }
  state.ends.value = ends;
}

export function addMessages(texts: readonly Message[]): void {
  const known = new Set(state.messages.value.map(({ checkout_request_id }) => checkout_request_id));
  const added = texts.filter(({ checkout_request_id }) => !known.has(checkout_request_id));
  state.messages.value = [...added, ...state.messages.value]
    .sort((a, b) => b.at_ms - a.at_ms)
    .slice(0, state.MOST_MESSAGES);
  bringIntoPlay(added.map(({ phone }) => phone));
}

/** As many phones as anybody can look through. */
const MOST_PHONES = 200;

export function bringIntoPlay(phones: readonly string[]): void {
  const seen = state.phonesSeen.value;
  const added = [...new Set(phones)].filter((phone) => !seen.includes(phone));
  if (added.length === 0) return;
  const rings = (phone: string) => state.promptsByPhone.value.has(phone) || phone === state.pickedPhone.value;
  const all = [...seen, ...added];
  const surplus = all.length - MOST_PHONES;
  const leaving = new Set(surplus > 0 ? all.filter((phone) => !rings(phone)).slice(0, surplus) : []);
  state.phonesSeen.value = all.filter((phone) => !leaving.has(phone)).slice(-MOST_PHONES);
}
