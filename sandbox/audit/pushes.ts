import { cameMs, isSurelyRead, shown, textIn } from "./call.ts";
import type { Payment, Start } from "./payments.ts";
import type { AuditState, Reading } from "./rules.ts";

/** `POST /stkpush.php`: notes each start, and finds orders that are charged twice. */
export function auditPush(state: AuditState, { call, at }: Reading): void {
  // Also if the connection was closed without the answer: the payment has started.
  const id = textIn(call.answer, "checkout_request_id");
  const payment = id === null ? undefined : state.payments.byCheckoutId(id);
  state.lastRefusal = id === null ? { requestId: call.id, status: call.status } : null;
  if (!payment) return;
  payment.start = {
    requestId: call.id,
    cameMs: cameMs(call, at),
    at,
    isLost: call.status === null,
    isRead: isSurelyRead(call),
  };
  const before = state.payments.charge(payment);
  if (before) compare(state, before, payment, call.atMs);
}

function compare(state: AuditState, before: Payment, payment: Payment, atMs: number): void {
  if (!before.start || !payment.start) return;
  // A slow push may be answered after a later one.
  const isInOrder = before.start.cameMs <= payment.start.cameMs;
  const [first, second] = isInOrder ? [before, payment] : [payment, before];
  const start = (isInOrder ? before : payment).start as Start;
  const secondCameMs = ((isInOrder ? payment : before).start as Start).cameMs;
  const reference = shown(String(payment.reference));

  function charged(message: () => string): void {
    state.note({
      kind: "charges_twice",
      subject: second.checkoutRequestId,
      requestIds: [start.requestId, ...(second.start ? [second.start.requestId] : [])],
      payment: second,
      atMs,
      message,
    });
  }

  const hasEnded = first.isFinalTold || (first.end !== null && first.end.at.realMs <= secondCameMs);
  if (!hasEnded) {
    // The client read the list, and the first payment was not in it yet.
    const sawNothing = state.listReads.some(
      (read) =>
        read.cameMs >= start.cameMs && read.answeredMs <= secondCameMs && read.answeredMs <= first.created.realMs,
    );
    if (sawNothing) return;
    charged(() =>
      start.isLost
        ? `“${reference}” is charged a second time. The answer to the first request was lost, but its payment is still pending: the customer may pay both.`
        : `“${reference}” is charged a second time while the first payment is still pending: the customer may pay both.`,
    );
  } else if (start.isLost && !first.isFinalTold) {
    charged(
      () =>
        `“${reference}” is charged a second time. The answer to the first request was lost, and the client did not search for its payment (it is ${first.end?.status} now).`,
    );
  }
}
