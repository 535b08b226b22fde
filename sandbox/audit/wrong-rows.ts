import { clean, type Reading } from "./call.ts";
import type { DatedMistake, Mistake } from "./finding.ts";
import { PATTERN_MS } from "./history.ts";
import type { Payment, Started } from "./payments.ts";

/** A client that asks so soon after a search takes what it has found. */
const AT_ONCE_MS = 1000;

/** The client follows a payment that it can know only from a list that it requested for another one. */
export function followsOther(payment: Payment, { call, arrivedMs }: Reading): Mistake | null {
  const { start, seen } = payment;
  if (!seen.inListForOther) return null;
  const { list, isFirstRow } = seen.inListForOther;
  const sinceMs = arrivedMs - list.arrivedMs;
  if (sinceMs > PATTERN_MS) return null;
  // A client may follow a payment that it has pushed. But if it first asks right after the search, it took the search's first row.
  const isTaken = list.search !== null && isFirstRow && seen.pollers.length === 0 && sinceMs < AT_ONCE_MS;
  const isItsOwn = start?.isRead && (seen.finalMs === null || seen.finalMs >= list.arrivedMs);
  if (isItsOwn && !isTaken) return null;
  return {
    kind: "takes_wrong_row",
    requestIds: [list.requestId, call.id],
    payment,
    message: tookRow(list.search, payment),
  };
}

/** The last search for a payment showed another one above it, and nobody has asked for this one since. */
export function takesRowAbove(payment: Started): DatedMistake | null {
  const { start, seen, end, reference } = payment;
  if (!seen.rowAbove || !seen.asked) return null;
  const { requestId, answered } = seen.asked.last;
  return {
    kind: "takes_wrong_row",
    requestIds: [start.requestId, requestId],
    payment,
    atMs: answered.nowMs,
    message: `${tookRow(String(reference), seen.rowAbove)} Its own payment was below, and nobody has asked for it since; it is ${end?.status ?? "pending"} now.`,
  };
}

const tookRow = (search: string | null, { reference }: Payment): string =>
  `The client ${search === null ? "listed all payments" : `searched for “${clean(search)}”`}, and took a payment ${
    reference ? `of another reference, “${clean(reference)}”` : "without a reference"
  }.`;
