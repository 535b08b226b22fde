import { signal } from "@preact/signals";
import { isLoaded } from "./asking.ts";
import { formatPhone } from "./logic/format.ts";
import type { Status, Transaction } from "./wire.ts";

/** The payments of events and lists, the last ones that came: a poll has only the id of its payment. */
const known = new Map<string, Transaction>();
const MOST_KNOWN = 2000;
/** Counts the changes of what is known. */
const changes = signal(0);

/** @returns each in its last state: a list or an event may be older than what is known */
export function remember(transactions: readonly Transaction[]): readonly Transaction[] {
  const last = transactions.map((one) => {
    const id = one.checkout_request_id;
    const newest = (hasEnded(id) && known.get(id)) || one;
    known.delete(id);
    known.set(id, newest);
    return newest;
  });
  for (const id of known.keys()) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(id);
  }
  changes.value += 1;
  return last;
}

/** The reference or the phone of a payment; the id if it is not known. */
export function nameOf(checkoutRequestId: string): string {
  // Most are known when everything is loaded, so a view with a name is drawn again then.
  isLoaded.value;
  const payment = known.get(checkoutRequestId);
  return payment ? (payment.reference ?? formatPhone(payment.phone)) : checkoutRequestId;
}

/** The status of a payment; null if it is not known. */
export function statusOf(checkoutRequestId: string): Status | null {
  changes.value;
  return known.get(checkoutRequestId)?.status ?? null;
}

export const hasEnded = (checkoutRequestId: string): boolean =>
  (known.get(checkoutRequestId)?.status ?? "pending") !== "pending";

export const isUsed = (reference: string): boolean => [...known.values()].some((one) => one.reference === reference);

/** The server is another one, or was reset. */
export const forgetPayments = (): void => known.clear();
