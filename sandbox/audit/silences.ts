import type { Moment } from "./call.ts";
import type { Mistake } from "./finding.ts";
import type { Payment, Start } from "./payments.ts";
import { inSeconds, PATTERN_MS, PATTERN_POLLS } from "./rules.ts";
import { refusalsIn, type Tally } from "./tally.ts";

/** A client that has not polled within this time never polls. */
const NEVER_POLLED_MS = 30_000;

/**
 * A client that polls this long follows §4.4: two minutes, less one interval and the delays of a busy machine.
 */
const KEPT_ASKING_MS = 110_000;

/** Two clocks that are read one after the other differ by at most this, also on a busy machine. */
const DRIFT_MS = 500;

export interface SilenceOptions {
  /** When a list was last requested, in real time. */
  readonly lastListMs: number;
  readonly hasWebhook: () => boolean;
}

/**
 * The polls that are missing for a payment now, as a mistake; null if none are. It is not stored, because a late poll corrects it.
 */
export function silenceOf(payment: Payment, now: Moment, options: SilenceOptions): Mistake | null {
  const { start } = payment;
  if (start === null || payment.isFinalTold) return null;
  return payment.asks === 0 ? neverPolled(payment, start, now, options) : gaveUp(payment, start, now);
}

function neverPolled(payment: Payment, start: Start, now: Moment, options: SilenceOptions): Mistake | null {
  if (!payment.isLeft && now.ranMs - start.at.ranMs < NEVER_POLLED_MS) return null;
  const { lastListMs, hasWebhook } = options;
  // A client without the answer does not know the id, but can look it up in the list.
  const hasAsked = payment.isNamed || (!start.isRead && lastListMs >= start.cameMs);
  if (hasAsked) return null;
  return {
    kind: "never_polls",
    severity: hasWebhook() ? "note" : "error",
    subject: payment.checkoutRequestId,
    requestIds: [start.requestId],
    payment,
    atMs: start.at.nowMs,
    message: start.isRead
      ? `The client has not asked for the status of this payment${endOf(payment)}.`
      : `The answer to this request was lost, but the payment exists, and the client has not searched for it${endOf(payment)}.`,
  };
}

function gaveUp(payment: Payment, start: Start, now: Moment): Mistake | null {
  const { lastAsk, end, asks } = payment;
  if (lastAsk === null || end === null || asks >= PATTERN_POLLS) return null;
  const askedForMs = lastAsk.at.realMs - start.at.realMs;
  // A client measures real time, or the sandbox's time.
  if (Math.max(askedForMs, lastAsk.at.nowMs - start.at.nowMs) >= KEPT_ASKING_MS) return null;
  if (!payment.isLeft && now.ranMs - start.at.ranMs < PATTERN_MS) return null;
  return {
    kind: "gives_up_early",
    severity: end.status === "completed" ? "error" : "warning",
    subject: payment.checkoutRequestId,
    requestIds: [start.requestId, lastAsk.requestId],
    payment,
    atMs: lastAsk.at.nowMs,
    message: `Asked for the last time after ${inSeconds(askedForMs)}, when the payment was pending. It is ${end.status} now${
      end.status === "completed" ? ": the customer has paid, and the shop does not know" : ""
    }.`,
  };
}

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
        advice: "Correct what these messages name. A run without an accepted request proves nothing.",
      }),
      message: `${what}${hosts.length > 0 ? `; nothing reached ${hosts.join(" or ")}` : ""}.`,
    },
  ];
}
