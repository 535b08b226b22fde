import { counted } from "../../src/domain/counted.ts";
import type { Status } from "../../src/domain/transaction.ts";
import type { Moment } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { LENIENT_ADVICE, type Severity } from "./kinds.ts";
import { wrongRow } from "./lists.ts";
import type { Payment, Start } from "./payments.ts";
import { type AuditState, inSeconds, PATTERN_MS, PATTERN_POLLS } from "./rules.ts";
import { refusalsIn, type Tally } from "./tally.ts";

/** A client that has not polled within this time never polls. */
const NEVER_POLLED_MS = 30_000;

/**
 * A client that polls this long follows §4.4: two minutes, less one interval and the delays of a busy machine.
 */
const KEPT_ASKING_MS = 110_000;

/** Two clocks that are read one after the other differ by at most this, also on a busy machine. */
const DRIFT_MS = 500;

/**
 * The polls that are missing for a payment now, as a mistake; null if none are. It is not stored, because a late poll corrects it.
 * @param isOver whether the client sends no more requests
 */
export function missingPollsOf(payment: Payment, now: Moment, state: AuditState, isOver: boolean): Mistake | null {
  const { start } = payment;
  if (start === null || payment.toldMs !== null) return null;
  const missing = payment.asks === 0 ? neverPolled(payment, start, now, state) : gaveUp(payment, start, now);
  return missing ?? (isOver ? neverPolledAfterMove(payment, start, state) : null);
}

function neverPolled(payment: Payment, start: Start, now: Moment, state: AuditState): Mistake | null {
  if (!payment.isAbandoned && now.ranMs - start.at.ranMs < NEVER_POLLED_MS) return null;
  if (payment.isNamed || hasLooked(start, state)) return null;
  const what = start.isRead
    ? "The client has not asked for the status of this payment"
    : "The client did not get the answer to this request, but the payment exists, and the client has not searched for it";
  return neverPolls(payment, start, payment.webhook?.takenMs == null ? "error" : "note", {
    message: `${what}${endOf(payment)}${deliveriesOf(payment, state)}.`,
  });
}

/** A client without the answer does not know the id, but can look it up in the list. */
const hasLooked = ({ isRead, isByMomo, cameMs }: Start, { looks }: AuditState, sinceMs = cameMs): boolean =>
  !isRead && looks.some((look) => look.isByMomo === isByMomo && look.cameMs >= sinceMs);

/** The clock was moved, so the client had no time to ask before the end, but it could have asked after it. */
function neverPolledAfterMove(payment: Payment, start: Start, state: AuditState): Mistake | null {
  const { end, created, webhook } = payment;
  if (end === null || payment.isUnjudged || webhook?.takenMs != null || hasKeptAsking(payment, start)) return null;
  const movedMs = end.at.nowMs - created.nowMs - (end.at.ranMs - created.ranMs);
  if (movedMs <= DRIFT_MS || hasLooked(start, state, end.at.realMs)) return null;
  if (payment.rowBefore) return tookRowBefore(payment, start, end.status, payment.rowBefore);
  return neverPolls(payment, start, "warning", {
    message: `This payment became ${end.status} when the clock was moved, and the client has not asked for its status after that.`,
  });
}

const neverPolls = (
  payment: Payment,
  start: Start,
  severity: Severity,
  { message }: Pick<Mistake, "message">,
): Mistake => ({
  kind: "never_polls",
  severity,
  subject: payment.checkoutRequestId,
  requestIds: [start.requestId],
  payment,
  atMs: start.at.nowMs,
  message,
});

/** What became of the webhooks of a payment that nobody asked about. */
function deliveriesOf({ webhook, end }: Payment, { hasWebhook }: AuditState): string {
  if (webhook?.takenMs != null) return ", but its webhook was taken";
  if (webhook)
    return `, and nobody took its webhook (${counted(webhook.attempts, "attempt")}, the last: ${webhook.last})`;
  return hasWebhook() ? `, and ${end ? "no webhook was sent" : "its webhook is sent when it ends"}` : "";
}

/** Whether a client has asked as long as §4.4 says. It measures real time, or the sandbox's time. */
function hasKeptAsking({ lastAsk, asks }: Payment, { at }: Start): boolean {
  if (lastAsk === null) return false;
  const askedForMs = Math.max(lastAsk.at.realMs - at.realMs, lastAsk.at.nowMs - at.nowMs);
  return asks >= PATTERN_POLLS || askedForMs >= KEPT_ASKING_MS;
}

function gaveUp(payment: Payment, start: Start, now: Moment): Mistake | null {
  const { lastAsk, end, rowBefore } = payment;
  if (lastAsk === null || end === null || payment.webhook?.takenMs != null || hasKeptAsking(payment, start))
    return null;
  if (!payment.isAbandoned && now.ranMs - start.at.ranMs < PATTERN_MS) return null;
  if (rowBefore) return tookRowBefore(payment, start, end.status, rowBefore);
  const askedForMs = lastAsk.at.realMs - start.at.realMs;
  return {
    kind: "gives_up_early",
    severity: end.status === "completed" ? "error" : "warning",
    ...lastAskOf(payment, start),
    message: `Asked for the last time after ${inSeconds(askedForMs)}, when the payment was pending. It is ${end.status} now${
      end.status === "completed" ? ": the customer has paid, and the shop does not know" : ""
    }.`,
  };
}

/** The last search for a payment showed another one first, and nobody has asked for this one since. */
const tookRowBefore = (payment: Payment, start: Start, status: Status, rowBefore: Payment): Mistake => ({
  kind: "takes_wrong_row",
  ...lastAskOf(payment, start),
  message: `${wrongRow({ text: String(payment.reference) }, rowBefore)} Its own payment was below, and nobody has asked for it since; it is ${status} now.`,
});

const lastAskOf = (payment: Payment, start: Start) => ({
  subject: payment.checkoutRequestId,
  requestIds: [start.requestId, ...(payment.lastAsk ? [payment.lastAsk.requestId] : [])],
  payment,
  atMs: (payment.lastAsk ?? start).at.nowMs,
});

const endOf = ({ end }: Payment): string => (end === null ? "" : `; it is ${end.status} now`);

/** Whether the sandbox clock has run by itself since the payment started: otherwise missing polls mean nothing. */
export function isUndisturbed({ created }: Payment, now: Moment): boolean {
  const ranMs = now.ranMs - created.ranMs;
  const isLike = (passedMs: number) => Math.abs(passedMs - ranMs) <= DRIFT_MS;
  return ranMs > 0 && isLike(now.nowMs - created.nowMs) && isLike(now.realMs - created.realMs);
}

/**
 * The mistake of a run in which no request was accepted.
 * @param isAllFaults whether injected faults refused all requests: a test of an outage is no mistake
 * @param hosts the hosts whose requests should have come here
 */
export function nothingAccepted(
  tally: Tally,
  isAllFaults: boolean,
  atMs: number,
  hosts: readonly string[] = [],
): Mistake[] {
  const { requests, accepted } = tally;
  if (accepted > 0) return [];
  const each = requests === 1 ? "The only request" : `Each of ${requests} requests`;
  const what = requests === 0 ? "No request came" : `${each} was refused: ${refusalsIn(tally)}`;
  return [
    {
      kind: "nothing_accepted",
      subject: "",
      severity: isAllFaults ? "note" : "error",
      requestIds: [],
      payment: null,
      atMs,
      ...(requests > 0 && {
        advice: `Correct what these messages name. A run without an accepted request proves nothing.${
          tally.lenient_takes > 0 ? LENIENT_ADVICE : ""
        }`,
      }),
      message: `${what}${hosts.length > 0 ? `; nothing reached ${hosts.join(" or ")}` : ""}.`,
    },
  ];
}
