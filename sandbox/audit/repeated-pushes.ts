import { toShillings } from "../../src/domain/money.ts";
import { clean } from "./call.ts";
import type { DatedMistake, Mistake } from "./finding.ts";
import type { Charge, LostPush } from "./history.ts";
import { learnedEndMs, type Payment, type Push, type Started } from "./payments.ts";

/** A second charge is judged by what its client knew of the first one when it was sent, not by the time between them. */

type Verdict = Pick<Mistake, "kind" | "severity">;

/** The worst first. */
const TWICE: Verdict = { kind: "charges_twice", severity: "error" };
const PERHAPS_TWICE: Verdict = { kind: "charges_twice", severity: "warning" };
const BLINDLY: Verdict = { kind: "repeats_blindly", severity: "warning" };
const VERDICTS = [TWICE, PERHAPS_TWICE, BLINDLY];

/**
 * Finds an earlier payment that the customer may pay as well: the worst, then one with the same reference, then the last one. Later
 * events can change it, because nobody is charged twice if the first payment ends unpaid.
 */
export function chargesAgain(payment: Started): DatedMistake | null {
  let worst: { readonly rank: number; readonly verdict: Verdict; readonly pair: [Started, Started] } | null = null;
  for (const earlier of payment.start.earlier) {
    if (!isAlike(earlier, payment)) continue;
    const pair = inOrder(earlier, payment);
    const verdict = verdictOn(...pair);
    if (!verdict) continue;
    const rank = 2 * VERDICTS.indexOf(verdict) + (earlier.reference === payment.reference ? 0 : 1);
    if (!worst || rank < worst.rank) worst = { rank, verdict, pair };
    if (rank === 0) break;
  }
  return worst && { ...worst.verdict, ...mistakeOf(...worst.pair), atMs: payment.start.atMs, isRevisable: true };
}

/** A slow push may be answered after a later one. */
const inOrder = (one: Started, other: Started): [Started, Started] =>
  one.start.arrivedMs <= other.start.arrivedMs ? [one, other] : [other, one];

const hasOtherReference = ({ reference: one }: Charge, { reference: other }: Charge): boolean =>
  Boolean(one) && Boolean(other) && one !== other;

const hasSameReference = (one: Payment, other: Payment): boolean =>
  Boolean(one.reference) && one.reference === other.reference && one.merchantId === other.merchantId;

const isSameCharge = (one: Charge, other: Charge): boolean =>
  one.paymentAccountId === other.paymentAccountId && one.phone === other.phone && one.amountCents === other.amountCents;

/** What momo's own commands start is not an order of the client. */
const isAlike = (one: Started, other: Started): boolean =>
  one.start.isByMomo === other.start.isByMomo && (isSameCharge(one, other) || hasSameReference(one, other));

function verdictOn(first: Started, second: Started): Verdict | null {
  const isOther = hasOtherReference(first, second);
  if (hasLearnedEnd(first, second.start)) {
    const isPaidAgain = first.end?.status === "completed" && hasSameReference(first, second);
    return isPaidAgain && !second.start.isReferenceShared ? PERHAPS_TWICE : null;
  }
  if (isUnpaid(first)) return isOther ? null : BLINDLY;
  return isOther ? PERHAPS_TWICE : TWICE;
}

export const isUnpaid = ({ end }: Payment): boolean => end !== null && end.status !== "completed";

/** Whether the client had learned how the first payment ended when it sent the second push. */
const hasLearnedEnd = (first: Started, { arrivedMs }: Push): boolean => learnedEndMs(first) <= arrivedMs;

function mistakeOf(first: Started, second: Started) {
  const isOther = hasOtherReference(first, second);
  const orders = isOther ? "other order" : "same order";
  const what = hasSameReference(first, second) ? first.reference : `${first.amountCents} ${orders}`;
  const doubt = isOther ? " If both are for one order, the customer can pay it twice." : "";
  return {
    subject: `${first.paymentAccountId} ${first.phone} ${what}`,
    requestIds: [first.start.requestId, second.start.requestId],
    payment: second,
    message: `${chargedAgain(first, second)} ${whyAgain(first, second.start)}${doubt}`,
  };
}

function chargedAgain(first: Charge, second: Charge): string {
  // An empty reference counts as no reference.
  const [one, other] = [first, second].map(({ reference }) => (reference ? clean(reference) : null));
  const customer = `${second.phone} is asked for KES ${toShillings(second.amountCents)} a second time`;
  if (one === other) return one === null ? `${customer}, without a reference.` : `“${one}” is charged a second time.`;
  const quoted = (text: string | null | undefined) => (text ? `“${text}”` : "none");
  return `${customer}, with another reference (first ${quoted(one)}, then ${quoted(other)}).`;
}

function whyAgain(first: Started, next: Push): string {
  if (hasLearnedEnd(first, next)) {
    return "The client had learned that the first payment is completed: an order that is paid is charged again.";
  }
  const { start, end, seen } = first;
  const hasEnded = end !== null && end.at.realMs < next.arrivedMs;
  if (end && isUnpaid(first) && !hasEnded) {
    return `The first payment was still pending; it is ${end.status} now: this time nothing happened.`;
  }
  const now = hasEnded ? `its status was ${end.status} by then` : "the customer may pay both";
  if (!start.isRead) return `${whatWasAnswered(start, true)}, ${whatListShowed(first, start, next)}: ${now}.`;
  if (!hasEnded) return `The first payment is still pending: ${now}.`;
  const hasAsked = seen.asked !== null && seen.asked.firstMs <= next.answered.realMs;
  const asked = hasAsked ? "gave up asking before the first payment ended" : "had not asked for the first payment";
  return `The client ${asked}: ${now}.`;
}

function whatWasAnswered({ status }: Push, isStored: boolean): string {
  if (status === null) return "The answer to the first request was lost";
  return `The first request was answered ${isStored && status === 200 ? "late" : `with HTTP ${status}`}`;
}

/** What the last list between two pushes has shown of the first payment; null if there is none. */
function whatListShowed(first: Payment | null, start: Push, { lastList }: Push): string {
  if (!lastList || lastList.arrivedMs < start.arrivedMs) return "and the client did not search for its payment";
  const { refusal, search, shown, answeredMs } = lastList;
  if (refusal !== null)
    return `and the search for its payment was refused (${refusal}), which does not mean that there is none`;
  if (first === null) return "and a search that finds nothing does not mean that nothing comes later";
  if (shown.includes(first.id)) return "and the list showed its payment as pending";
  if (answeredMs <= first.created.realMs) return "and the client searched too early, before its payment was there";
  const isEncoded = first.reference === null || encodeURIComponent(first.reference) === first.reference;
  const what = search === null ? "the list" : `the search for “${clean(search)}”`;
  return `and ${what} did not show its payment${isEncoded ? "" : " (in an address, a reference needs encodeURIComponent)"}`;
}

/** The last push that this one repeats, and that started no payment. */
export const lostPushBefore = (lostPushes: readonly LostPush[], charge: Charge, next: Push): LostPush | null =>
  lostPushes.findLast(
    (lost) =>
      lost.push.isByMomo === next.isByMomo &&
      lost.push.arrivedMs <= next.arrivedMs &&
      isSameCharge(lost, charge) &&
      !hasOtherReference(lost, charge),
  ) ?? null;

/** A push repeats one that was answered with 5xx or not at all. That one started no payment, but its client cannot know. */
export const repeatsLostPush = (first: LostPush, charge: Charge, push: Push): Mistake => ({
  kind: "repeats_blindly",
  subject: `${charge.paymentAccountId} ${charge.phone} ${charge.amountCents}`,
  requestIds: [first.push.requestId, push.requestId],
  message: `${chargedAgain(first, charge)} ${whatWasAnswered(first.push, false)}, ${whatListShowed(null, first.push, push)}. This time no payment was stored.`,
});

/** A push is not answered yet, and its order has another payment: later, or one whose end the client has not learned. */
export function repeatsHeldPush(held: Charge & { readonly atMs: number }, payment: Started): DatedMistake | null {
  const { start } = payment;
  const isRepeated = held.atMs <= start.atMs;
  const isOpen = learnedEndMs(payment) === Number.POSITIVE_INFINITY && !isUnpaid(payment);
  if (start.isByMomo || !isSameCharge(held, payment) || !(isRepeated || isOpen)) return null;
  return {
    ...(hasOtherReference(held, payment) ? PERHAPS_TWICE : TWICE),
    subject: `${held.paymentAccountId} ${held.phone} ${held.amountCents} held`,
    requestIds: [start.requestId],
    payment,
    atMs: start.atMs,
    message: `${chargedAgain(held, payment)} Another request for it is not answered yet, but it takes effect: the customer may pay both.`,
  };
}
