import * as state from "./state.ts";
import type { Message, Transaction } from "./wire.ts";

/** Takes in what arrives, by an event or by a list, and forgets the oldest where it becomes too much. */

export function rememberEnds(transactions: readonly Transaction[]): void {
  const ends = new Map(state.ends.value);
  for (const transaction of transactions) {
    const end = state.endOf(transaction);
    const before = ends.get(transaction.checkout_request_id);
    // The moment at which a payment was seen to fail is better than none.
    const isEndSeen = before?.status === "pending" && end.status !== "pending" && end.endedAtMs === null;
    ends.set(
      transaction.checkout_request_id,
      isEndSeen ? { ...end, endedAtMs: state.sandboxNow.value } : before?.endedAtMs != null ? before : end,
    );
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
