import { toShillings } from "../../src/domain/money.ts";
import { cameMs, clean, isSurelyRead, textIn } from "./call.ts";
import type { Payment, Start } from "./payments.ts";
import type { AuditState, Reading } from "./rules.ts";

/** How many earlier payments of the same phone are compared with a new one. */
const MOST_COMPARED = 50;

/**
 * `POST /stkpush.php`: notes each start, and finds customers who can pay twice.
 * @returns whether this explains a refusal
 */
export function auditPush(state: AuditState, { call, at }: Reading): boolean {
  // Also if the connection was closed without the answer: the payment has started.
  const id = textIn(call.answer, "checkout_request_id");
  const payment = id === null ? undefined : state.payments.byCheckoutId(id);
  state.lastRefusal = id === null ? { requestId: call.id, status: call.status } : null;
  if (!payment) return false;
  payment.start = {
    requestId: call.id,
    cameMs: cameMs(call, at),
    at,
    isLost: call.status === null,
    isRead: isSurelyRead(call),
  };
  state.started(payment);
  const named = state.payments.connect(payment);
  if (named && named.phone !== payment.phone) noteReuse(state, named, payment, call.atMs);
  findTwin(state, payment, call.atMs);
  return false;
}

/** Finds an earlier payment that the customer may pay as well: rather one with the same reference, and else the last one. */
function findTwin(state: AuditState, payment: Payment, atMs: number): void {
  let other: Payment | null = null;
  let before = payment.before;
  for (let compared = 0; before && compared < MOST_COMPARED; compared += 1) {
    const isSame = hasSameReference(before, payment);
    if ((isSame || !other) && isAlike(before, payment) && canPayBoth(state, before, payment)) {
      other = before;
      if (isSame) break;
    }
    before = before.before;
  }
  if (other) noteTwins(state, other, payment, atMs);
}

const hasSameReference = (one: Payment, other: Payment): boolean =>
  one.merchantId === other.merchantId && (one.reference || null) === (other.reference || null);

function isAlike(one: Payment, other: Payment): boolean {
  if (one.paymentAccountId === other.paymentAccountId && one.amountCents === other.amountCents) return true;
  return Boolean(one.reference) && hasSameReference(one, other);
}

/** A slow push may be answered after a later one. */
const inOrder = (one: Payment, other: Payment): [Payment, Payment] =>
  (one.start?.cameMs ?? 0) <= (other.start?.cameMs ?? 0) ? [one, other] : [other, one];

function canPayBoth(state: AuditState, before: Payment, payment: Payment): boolean {
  const [first, second] = inOrder(before, payment);
  const [start, next] = [first.start, second.start];
  if (!start || !next) return false;
  return hasEnded(first, next) ? start.isLost && !first.isFinalTold : !hasSeenNothing(state, first, start, next);
}

/** Whether the first payment had ended when the second request came. */
const hasEnded = ({ isFinalTold, end }: Payment, next: Start): boolean =>
  isFinalTold || (end !== null && end.at.realMs <= next.cameMs);

function noteTwins(state: AuditState, before: Payment, payment: Payment, atMs: number): void {
  const [first, second] = inOrder(before, payment);
  const [start, next] = [first.start as Start, second.start as Start];
  const isSame = hasSameReference(first, second);
  const what = isSame && first.reference ? first.reference : `${first.amountCents} ${isSame}`;
  state.note("charges_twice", `${first.paymentAccountId} ${first.phone} ${what}`, next.requestId, () => ({
    severity: isSame ? "error" : "warning",
    requestIds: [start.requestId, next.requestId],
    payment: second,
    atMs,
    message: `${chargedAgain(first, second)} ${whyTwice(first, start, hasEnded(first, next))}${
      isSame ? "" : " If both are for one order, the customer can pay it twice."
    }`,
  }));
}

/** Whether the client has read the list when the first payment was not in it yet. */
function hasSeenNothing({ listReads }: AuditState, first: Payment, start: Start, next: Start): boolean {
  return listReads.some(
    (read) => read.cameMs >= start.cameMs && read.answeredMs <= next.cameMs && read.answeredMs <= first.created.realMs,
  );
}

function chargedAgain(first: Payment, second: Payment): string {
  const reference = first.reference ? clean(first.reference) : null;
  const other = second.reference ? clean(second.reference) : null;
  const customer = `${second.phone} is asked for KES ${toShillings(second.amountCents)} a second time`;
  if (reference === other)
    return reference === null ? `${customer}, without a reference.` : `“${reference}” is charged a second time.`;
  const named = (text: string | null) => (text === null ? "none" : `“${text}”`);
  return `${customer}, with another reference (first ${named(reference)}, then ${named(other)}).`;
}

function whyTwice(first: Payment, { isLost }: Start, isOver: boolean): string {
  if (isOver) {
    return `The answer to the first request was lost, and the client did not search for its payment (it is ${first.end?.status} now).`;
  }
  return isLost
    ? "The answer to the first request was lost, but its payment is still pending: the customer may pay both."
    : "The first payment is still pending: the customer may pay both.";
}

function noteReuse(state: AuditState, first: Payment, second: Payment, atMs: number): void {
  const [one, other] = [first.start, second.start];
  if (!one || !other) return;
  state.note("reference_reused", `${second.merchantId} ${second.reference}`, other.requestId, () => ({
    requestIds: [one.requestId, other.requestId],
    payment: second,
    atMs,
    message: `The payments of ${first.phone} and ${second.phone} have one reference, “${clean(String(second.reference))}”: a search for it finds the payments of all these customers.`,
  }));
}
