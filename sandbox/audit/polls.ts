import { shown } from "../../src/domain/error.ts";
import type { Members } from "../request-log.ts";
import { clean, inSeconds, isRefused, messageOf, type Reading } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { type History, isRace, PATTERN_MS, polledPayment, pollerIn, recordMentions, recordPoll } from "./history.ts";
import type { Mention } from "./mentions.ts";
import type { Payment, Poller } from "./payments.ts";
import { followsOther } from "./wrong-rows.ts";

/** Polls below this interval are too fast: the 3 s of §4.4, less the delays of a busy machine. */
const FASTEST_POLL_MS = 2500;

/** Two clocks that run side by side differ by at most this. */
const DRIFT_MS = 5;

/** `POST /status.php` */
export function auditPoll(history: History, reading: Reading): (Mistake | null)[] {
  if (isRefused(reading.call)) {
    const mention = recordMentions(history, reading);
    return [mention?.form ? asksWrongly(reading, mention) : asksForNothing(history, reading, mention)];
  }
  const payment = polledPayment(history, reading);
  if (!payment) return [];
  const poller = pollerIn(payment.seen, reading.call);
  const mistakes = [followsOther(payment, reading), poller ? pollsWrongly(payment, poller, reading) : null];
  recordPoll(payment, reading);
  return mistakes;
}

/** The client polls too fast, or goes on after it has read a final status. */
function pollsWrongly(payment: Payment, poller: Poller, reading: Reading): Mistake | null {
  const { call, at, arrivedMs } = reading;
  const { lastPoll, finalRead } = poller;
  const intervalMs = call.atMs - lastPoll.atMs;
  if (finalRead) {
    if (isRace(poller, reading) && !poller.hasRaced) return null;
    // One poll long after the end is a lookup, not polling.
    const isPolling = arrivedMs >= finalRead.at.realMs && intervalMs < PATTERN_MS;
    return isPolling ? { ...pollsAfter(finalRead.status), payment } : null;
  }
  // After an error or a lost answer a client may poll again at once. Parallel polls have no interval.
  const isNext = lastPoll.hasReadPending && arrivedMs >= lastPoll.answered.realMs;
  // While the clock is frozen or moved, intervals mean nothing.
  const shiftMs = at.nowMs - at.realMs - (lastPoll.answered.nowMs - lastPoll.answered.realMs);
  const isTooFast = intervalMs > 0 && intervalMs < FASTEST_POLL_MS && Math.abs(shiftMs) <= DRIFT_MS;
  // A webhook is a reason to ask at once.
  if (!isNext || !isTooFast || payment.webhook) return null;
  const message = `Asked again after ${inSeconds(intervalMs)}; the service recommends 3 to 5 s between two polls.`;
  return { kind: "polls_too_fast", payment, message };
}

const pollsAfter = (status: string): Pick<Mistake, "kind" | "message"> =>
  status === "completed"
    ? {
        kind: "polls_after_completed",
        message:
          "Asked again after the answer was “completed”: a client that credits when it reads “completed” credits again.",
      }
    : {
        kind: "ignores_final",
        message: `Asked again after the answer was “${status}”. This status is final, but the client treats it like “pending”.`,
      };

/** What programs send when they have no id. */
const NOTHING = new Set(["", "undefined", "null", "none", "nil", "nan", "false", "0", "[object object]"]);

/** A refused poll that names no payment in another form. */
function asksForNothing(history: History, reading: Reading, mention: Mention | null): Mistake | null {
  const { status, members } = reading.call;
  if (status === 401 || mention || !members) return null;
  const text = idIn(members);
  const isNothing = NOTHING.has(text.trim().toLowerCase());
  if (isNothing || (history.refusedPush && !text.startsWith("ws_"))) {
    return misreadsRefusal(history, reading, isNothing);
  }
  // Its client does not know that the sandbox was reset.
  return status === 404 && !history.forgotten.has(text) ? asksWrongly(reading, null) : null;
}

/** The text that a poll has as the id. */
export function idIn(members: Members): string {
  const { checkout_request_id: id } = members;
  return typeof id === "object" || id === undefined ? "" : String(id);
}

/** The client asked for a status without an id, or with one that it did not get from the service. */
function misreadsRefusal({ refusedPush }: History, { call }: Reading, isNothing: boolean): Mistake {
  const id = call.members?.checkout_request_id;
  const asked = id === undefined ? "without a checkout_request_id" : `with the checkout_request_id ${shown(id)}`;
  return {
    kind: "failure_misread",
    subject: isNothing ? "nothing" : "unknown",
    requestIds: [...(refusedPush ? [refusedPush.requestId] : []), call.id],
    message: refusedPush
      ? `The payment was refused (${refusedPush.status === null ? "no answer" : `HTTP ${refusedPush.status}`}), but then the client asked for a status ${asked}, as if there were a payment.`
      : `The client asked for a status ${asked}: it did not check the answer that should contain the id.`,
  };
}

/** A poll in one line of code. */
export const rightPoll = (base: string): string =>
  `await fetch(origin + "${base}/status.php", { method: "POST", headers, body: JSON.stringify({ checkout_request_id }) })`;

/** The client asked for the status of an id that was not issued here, or not in this form. */
function asksWrongly({ call, base }: Reading, mention: Mention | null): Mistake {
  const sent = mention?.sent ?? String(call.members?.checkout_request_id);
  const what = mention
    ? `this is ${mention.form}, ${mention.payment.checkoutRequestId}`
    : "the sandbox has issued no such id";
  return {
    kind: "unknown_id",
    subject: mention?.form ?? "",
    payment: mention?.payment ?? null,
    message: `The status of “${clean(sent)}” was asked for: ${what}. momo answered “${messageOf(call)}”.`,
    advice: `Send the checkout_request_id of the answer to the push, unchanged: ${rightPoll(base)}`,
  };
}
