import { toShillings } from "../../src/domain/money.ts";
import { cameMs, isSurelyRead, shown, textIn } from "./call.ts";
import type { Likeness, Payment, Start } from "./payments.ts";
import type { AuditState, Reading } from "./rules.ts";

/** How many earlier payments with the same phone and amount, or reference, are compared with a new one. */
const MOST_COMPARED = 16;

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
  if (!findTwin(state, "reference", payment, call.atMs)) findTwin(state, "amount", payment, call.atMs);
  return false;
}

/** @returns whether an earlier payment was found that the customer may pay as well */
function findTwin(state: AuditState, likeness: Likeness, payment: Payment, atMs: number): boolean {
  let before = payment.before[likeness];
  for (let compared = 0; before && compared < MOST_COMPARED; compared += 1) {
    if (compare(state, before, payment, atMs)) return true;
    before = before.before[likeness];
  }
  return false;
}

/** @returns whether the customer may pay both */
function compare(state: AuditState, before: Payment, payment: Payment, atMs: number): boolean {
  if (!before.start || !payment.start) return false;
  // A slow push may be answered after a later one.
  const isInOrder = before.start.cameMs <= payment.start.cameMs;
  const [first, second] = isInOrder ? [before, payment] : [payment, before];
  const [start, next] = [first.start as Start, second.start as Start];
  const hasEnded = first.isFinalTold || (first.end !== null && first.end.at.realMs <= next.cameMs);
  if (hasEnded ? first.isFinalTold || !start.isLost : hasSeenNothing(state, first, start, next)) return false;
  const isSame = (first.reference || null) === (second.reference || null);
  const what = isSame && first.reference ? first.reference : `${first.amountCents} ${isSame}`;
  const subject = `${first.accountId} ${first.phone} ${what}`;
  state.note("charges_twice", subject, next.requestId, () => ({
    severity: isSame ? "error" : "warning",
    requestIds: [start.requestId, next.requestId],
    payment: second,
    atMs,
    message: `${chargedAgain(first, second)} ${whyTwice(first, start, hasEnded)}${
      isSame ? "" : " If both are for one order, the customer can pay it twice."
    }`,
  }));
  return true;
}

/** Whether the client has read the list when the first payment was not in it yet. */
function hasSeenNothing({ listReads }: AuditState, first: Payment, start: Start, next: Start): boolean {
  return listReads.some(
    (read) => read.cameMs >= start.cameMs && read.answeredMs <= next.cameMs && read.answeredMs <= first.created.realMs,
  );
}

function chargedAgain(first: Payment, second: Payment): string {
  const reference = first.reference ? shown(first.reference) : null;
  const other = second.reference ? shown(second.reference) : null;
  const customer = `${second.phone} is asked for KES ${toShillings(second.amountCents)} a second time`;
  if (reference === other)
    return reference === null ? `${customer}, without a reference.` : `“${reference}” is charged a second time.`;
  const named = (text: string | null) => (text === null ? "none" : `“${text}”`);
  return `${customer}, with another reference (first ${named(reference)}, then ${named(other)}).`;
}

function whyTwice(first: Payment, { isLost }: Start, hasEnded: boolean): string {
  if (hasEnded) {
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
    message: `The payments of ${first.phone} and ${second.phone} have one reference, “${shown(String(second.reference))}”: a search for it finds the payments of all these customers.`,
  }));
}
