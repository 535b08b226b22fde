import { formatPhone } from "./logic/format.ts";
import * as state from "./state.ts";
import type { Status, Transaction } from "./wire.ts";

/** The payments of events and lists, the last ones that came: a poll has only the id of its payment. */
const known = new Map<string, Transaction>();
const MOST_KNOWN = 2000;

/** The payments that ended since the open prompts came: an answer that is under way may still have them. */
export const endedSincePrompts = new Set<string>();

/** @returns each in its last state: a list, a story or an event may be older than what is known */
export function remember(transactions: readonly Transaction[]): readonly Transaction[] {
  const last = transactions.map((one) => {
    const id = one.checkout_request_id;
    const newest = (hasEnded(id) && known.get(id)) || one;
    known.delete(id);
    known.set(id, newest);
    if (newest.status !== "pending") endedSincePrompts.add(id);
    return newest;
  });
  for (const id of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(id);
  }
  return last;
}

/** The reference or the phone of a payment; the id if it is not known. */
export function nameOf(checkoutRequestId: string): string {
  // Most are known when everything is loaded, so a view with a name is drawn again then.
  state.isLoaded.value;
  const payment = known.get(checkoutRequestId);
  return payment ? (payment.reference ?? formatPhone(payment.phone)) : checkoutRequestId;
}

/** The status of a payment; null if it is not known. */
export function statusOf(checkoutRequestId: string): Status | null {
  // A payment that ends changes the counts.
  state.counts.value;
  return known.get(checkoutRequestId)?.status ?? null;
}

const hasEnded = (checkoutRequestId: string): boolean =>
  (known.get(checkoutRequestId)?.status ?? "pending") !== "pending";

export const isUsed = (reference: string): boolean => [...known.values()].some((one) => one.reference === reference);

/** Removes what came by events: the server is another one, or was reset. */
export function forgetAll(): void {
  known.clear();
  endedSincePrompts.clear();
  state.pickedPhone.value = null;
  state.requests.replace([]);
  state.endNote.value = null;
}
