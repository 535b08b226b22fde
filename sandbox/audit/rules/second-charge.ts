import { toShillings } from "../../../src/domain/money.ts";
import type { Push } from "../facts/payment.ts";
import { continues } from "../facts/tries.ts";
import { clean } from "../words.ts";

/** Two pushes that may be for one order. It is judged by what the client knew of the first when it sent the second. */

/** What the first payment was, when the second push left: `open` can be paid, as far as the client knew. */
export type FirstIs = "open" | "unpaid" | "not stored" | "paid and learned";

/** Why they may be for one order: the same order, another reference, or another phone. */
export type Likeness = "same order" | "other reference" | "other phone";

export interface Pair {
  readonly first: Push;
  readonly second: Push;
  readonly firstIs: FirstIs;
  readonly likeness: Likeness;
}

/** The pairs of a push and an earlier one that its client did not know to have ended. */
export function* pairsOf(push: Push): Generator<Pair> {
  for (const other of push.earlier) {
    // A slow push is answered after a later one.
    const [first, second] = other.arrived < push.arrived ? [other, push] : [push, other];
    const likeness = likenessOf(first, second);
    const firstIs = likeness && whatFirstIs(first, second);
    if (firstIs) yield { first, second, firstIs, likeness };
  }
  const other = push.otherPhone;
  const isAsked = other && push.phones?.length === 2 && other.charge.amountCents === push.charge.amountCents;
  if (isAsked && whatFirstIs(other, push) === "open")
    yield { first: other, second: push, firstIs: "open", likeness: "other phone" };
}

function likenessOf(first: Push, second: Push): Likeness | null {
  const { charge: one } = first;
  const { charge: other } = second;
  if (one.paymentAccountId !== other.paymentAccountId) return null;
  if (first.order && first.order === second.order) return "same order";
  if (one.amountCents !== other.amountCents) return null;
  if (!first.order || !second.order || second.arrived < first.answered) return "same order";
  return continues(first.order, second.order) ? "same order" : "other reference";
}

function whatFirstIs({ payment: first, charge, order }: Push, second: Push): FirstIs | null {
  if (first === null) return "not stored";
  if (second.payment === null) return null;
  if (first.isLearnedBefore(second.arrived)) {
    const isAgain = order === second.order && charge.amountCents === second.charge.amountCents;
    const isPaidAgain = first.end?.status === "completed" && Boolean(order) && isAgain && !second.isReferenceShared;
    return isPaidAgain ? "paid and learned" : null;
  }
  return first.isUnpaid || second.payment.isUnpaid ? "unpaid" : "open";
}

export function chargedAgain({ charge: first }: Push, { charge: second }: Push): string {
  const customer = `${second.phone} is asked for KES ${toShillings(second.amountCents)} a second time`;
  // An empty reference counts as no reference.
  const one = first.reference ? clean(first.reference) : null;
  const other = second.reference ? clean(second.reference) : null;
  if (first.phone !== second.phone)
    return `“${other}” is charged a second time, to ${second.phone} after ${first.phone}.`;
  if (one === other) return one === null ? `${customer}, without a reference.` : `“${one}” is charged a second time.`;
  return `${customer}, with another reference (first ${quoted(one)}, then ${quoted(other)}).`;
}

const quoted = (text: string | null): string => (text === null ? "none" : `“${text}”`);

/** What the client knew of the first payment when it sent the second push. */
export type Knew = "answered later" | "no answer" | "pending" | "not asked" | "gave up";

export function whatWasKnown(first: Push, second: Push): Knew {
  if (second.arrived < first.answered) return "answered later";
  if (!first.isDelivered) return "no answer";
  const { payment } = first;
  if (payment?.end == null || payment.end.order > second.arrived) return "pending";
  return payment.looks > 0 && payment.firstLook < second.arrived ? "gave up" : "not asked";
}

export function whyAgain(first: Push, second: Push): string {
  switch (whatWasKnown(first, second)) {
    case "answered later":
      return "The first request was not answered yet when the second one left";
    case "no answer":
      return `${whatWasAnswered(first)}, ${whatListShowed(first, second)}`;
    case "pending":
      return "The first payment was still pending";
    case "gave up":
      return "The client gave up asking before the first payment ended";
    case "not asked":
      return "The client had not asked for the first payment";
  }
}

const whatWasAnswered = ({ status }: Push): string =>
  status === null || status === 200
    ? "The answer to the first request was lost"
    : `The first request was answered with HTTP ${status}`;

/** What the last list between two pushes has shown of the first payment. */
function whatListShowed({ arrived, payment }: Push, { lastList }: Push): string {
  if (!lastList || lastList.arrived < arrived) return "and the client did not search for its payment";
  const { refusal, search, shown, answered } = lastList;
  if (refusal !== null)
    return `and the search for its payment was refused (${refusal}), which does not mean that there is none`;
  if (payment === null) return "and a search that finds nothing does not mean that nothing comes later";
  if (shown.includes(payment.number)) return "and the list showed its payment as pending";
  if (answered <= payment.created) return "and the client searched too early, before its payment was there";
  const isEncoded = payment.reference === null || encodeURIComponent(payment.reference) === payment.reference;
  const what = search === null ? "the list" : `the search for “${clean(search)}”`;
  return `and ${what} did not show its payment${isEncoded ? "" : " (in an address, a reference must be percent-encoded)"}`;
}

/**
 * What a finding about both shows: the requests (one that is still delayed is not in the log), the second payment (or the first, if the
 * second request is still delayed), and both.
 */
export const partsOf = (first: Push, second: Push) => ({
  requestIds: [first.requestId, second.requestId].filter((id) => id > 0),
  payment: second.requestId > 0 ? second.payment : first.payment,
  payments: [first.payment, second.payment],
  atMs: second.atMs,
});
