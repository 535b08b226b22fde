import { counted } from "../../src/domain/counted.ts";
import type { Status } from "../../src/domain/transaction.ts";
import { inSeconds, type Moment } from "./call.ts";
import type { DatedMistake } from "./finding.ts";
import { type History, PATTERN_MS, PATTERN_POLLS } from "./history.ts";
import { HOW_TO_LOOK, type Severity } from "./kinds.ts";
import type { Asked, End, Payment, Start, Started } from "./payments.ts";
import { takesRowAbove } from "./wrong-rows.ts";

/** A client that has not polled within this time never polls. */
const NEVER_POLLED_MS = 30_000;

/**
 * A client that polls this long follows §4.4: two minutes, less one interval and the delays of a busy machine.
 */
const KEPT_ASKING_MS = 110_000;

/** Two clocks that are read one after the other differ by at most this, also on a busy machine. */
const DRIFT_MS = 500;

/** After twice the longest interval of §4.4 without a move of the clock, a client is judged as if there were none later. */
const UNMOVED_MS = 10_000;

/** When missing polls are looked for. */
export interface Occasion {
  readonly now: Moment;
  /** What is over: the run, or the chapter, which a reset ends; null if the client can still ask. */
  readonly ends: "run" | "chapter" | null;
  /** Whether a webhook is set. */
  readonly hasWebhook: boolean;
  /** Whether a webhook was taken: the next one will tell how its payment ends. */
  readonly takesWebhooks: boolean;
}

/** The polls that are missing for a payment now. A late poll corrects it. */
export function missesPolls(history: History, payment: Started, occasion: Occasion): DatedMistake | null {
  const { seen, start, end, webhook } = payment;
  if (seen.finalMs !== null) return null;
  const { now, ends } = occasion;
  const isCutOff = canAskNoMore(history, payment, occasion);
  const asked = seen.asked ?? (isCutOff ? seen.listed : null);
  const hadTime = now.ranMs - start.answered.ranMs >= (asked ? PATTERN_MS : NEVER_POLLED_MS);
  if (!hadTime && !isCutOff) return null;
  const lastAt = (asked?.last ?? start).answered;
  const isSure = hadTime || (ends === "run" && surelyHadTime(history, payment, lastAt, now));
  const judgement: Judgement = isSure
    ? { severity: "error", doubt: isCutOff && mayAskYet(history, lastAt, now) ? TOO_EARLY : "" }
    : { severity: "warning", doubt: CLOCK_MOVED };
  if (!asked) {
    const isNamed = seen.isNamed || hasListed(history, start, start.arrivedMs + (isCutOff ? KEPT_ASKING_MS : 0));
    return isNamed ? null : neverPolls(history, payment, occasion, judgement);
  }
  if (webhook?.takenMs != null || hasKeptAsking(start, asked) || !(end || isCutOff)) return null;
  return takesRowAbove(payment) ?? givesUpEarly(payment, asked, judgement);
}

/** How bad it is that polls are missing, and what speaks against it. */
interface Judgement {
  readonly severity: Severity;
  readonly doubt: string;
}

/** Whether the client asks no more: the run is over, and it waits for no webhook, or the clock was moved to the end before a reset. */
function canAskNoMore(history: History, payment: Started, { ends, takesWebhooks }: Occasion): boolean {
  const awaitsWebhook = takesWebhooks && (payment.end === null || payment.webhook?.attempts === 0);
  if (ends === "run") return history.endedAt !== null || !awaitsWebhook;
  return ends === "chapter" && payment.end !== null && isEndedByMove(history, payment, payment.end);
}

/** Whether the clock ran by itself until the payment ended, or the client did, or else for some time before it was moved. */
function surelyHadTime({ endedAt }: History, payment: Started, lastAt: Moment, now: Moment): boolean {
  if (isUndisturbed(payment, payment.leftAt ?? payment.end?.at ?? now)) return true;
  const sinceAt = isUndisturbed(payment, lastAt) ? payment.created : lastAt;
  return (endedAt ?? now).ranMs - sinceAt.ranMs >= UNMOVED_MS;
}

/** A report can come too early: it is only said to be the last one. */
const TOO_EARLY = " If the client still asks, make this report again when it has ended.";

const CLOCK_MOVED = " The clock was moved or stopped, which perhaps left no time to ask.";

const mayAskYet = ({ endedAt }: History, lastAt: Moment, now: Moment): boolean =>
  endedAt === null && now.realMs - lastAt.realMs < NEVER_POLLED_MS;

/** Whether the sandbox clock has run by itself since the payment started: otherwise missing polls mean little. */
function isUndisturbed({ created }: Payment, now: Moment): boolean {
  const ranMs = now.ranMs - created.ranMs;
  const isLike = (passedMs: number) => Math.abs(passedMs - ranMs) <= DRIFT_MS;
  return ranMs > 0 && isLike(now.nowMs - created.nowMs) && isLike(now.realMs - created.realMs);
}

/** Whether the clock was moved to the end of a payment. The client had no time to ask before it, but it could have asked after it. */
function isEndedByMove(history: History, { created, start }: Started, end: End): boolean {
  const movedMs = end.at.nowMs - created.nowMs - (end.at.ranMs - created.ranMs);
  return movedMs > DRIFT_MS && !hasListed(history, start, end.at.realMs);
}

/** A client without the answer does not know the id, but can look it up in the list. */
const hasListed = ({ lists }: History, { isRead, isByMomo }: Start, sinceMs: number): boolean =>
  !isRead && lists.some((list) => list.isByMomo === isByMomo && list.arrivedMs >= sinceMs);

/** Whether a client has asked as long as §4.4 says. It measures real time, or the sandbox's time. */
const hasKeptAsking = (start: Start, asked: Asked): boolean =>
  asked.count >= PATTERN_POLLS || askedForMs(start, asked) >= KEPT_ASKING_MS;

function askedForMs({ answered }: Start, { last }: Asked): number {
  const { realMs, nowMs } = last.answered;
  return Math.max(realMs - answered.realMs, nowMs - answered.nowMs);
}

function neverPolls(
  history: History,
  payment: Started,
  { hasWebhook }: Occasion,
  { severity, doubt }: Judgement,
): DatedMistake {
  const { start, end, webhook } = payment;
  const look = hasListed(history, start, start.arrivedMs)
    ? "no list has shown it"
    : "the client has not searched for it";
  const what = start.isRead
    ? "The client has not asked for the status of this payment"
    : `The client did not get the answer to this request, but the payment exists, and ${look}`;
  // A webhook has only ids, which a client without the answer does not know.
  const isTaken = webhook?.takenMs != null && start.isRead;
  return {
    kind: "never_polls",
    severity: isTaken ? "note" : severity,
    requestIds: [start.requestId],
    payment,
    atMs: start.answered.nowMs,
    message: `${what}${end === null ? "" : `; it is ${end.status} now`}${deliveriesOf(payment, hasWebhook)}.${isTaken ? "" : doubt}`,
    ...(!start.isRead && { advice: HOW_TO_LOOK }),
  };
}

/** What became of the webhooks of a payment that nobody asked about. */
function deliveriesOf({ webhook, end, start }: Started, hasWebhook: boolean): string {
  if (webhook?.takenMs != null)
    return start.isRead ? ", but its webhook was taken" : "; its webhook was taken, but has no reference";
  if (webhook && webhook.attempts > 0)
    return `, and nobody took its webhook (${counted(webhook.attempts, "attempt")}, the last: ${webhook.last})`;
  return hasWebhook ? `, and ${end ? "no webhook was sent" : "its webhook is sent when it ends"}` : "";
}

function givesUpEarly(payment: Started, asked: Asked, { severity, doubt }: Judgement): DatedMistake {
  const { last } = asked;
  const status = payment.end?.status ?? "pending";
  const lost = WHAT_IS_LOST[status];
  return {
    kind: "gives_up_early",
    severity: lost === undefined ? "warning" : severity,
    requestIds: [payment.start.requestId, last.requestId],
    payment,
    atMs: last.answered.nowMs,
    message: `Asked for the last time after ${inSeconds(askedForMs(payment.start, asked))}, ${last.isRead ? "when the payment was pending" : "and got no status"}. It is ${status} now${lost ?? ""}.${doubt}`,
  };
}

const WHAT_IS_LOST: Partial<Record<Status, string>> = {
  completed: ": the customer has paid, and the shop does not know",
  pending: ": the customer can still pay, and the shop would not know",
};
