import { shown } from "../../src/domain/error.ts";
import { cameMs, clean, isByMomo, isRefused, isSurelyRead, messageOf, textIn } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { auditFollowed } from "./lists.ts";
import { markNamed, type Named } from "./named.ts";
import { addPoller, type Payment, type Poller, pollerOf } from "./payments.ts";
import { type AuditState, inSeconds, PATTERN_MS, type Reading } from "./rules.ts";

/** Polls below this interval are too fast: the 3 s of §4.4, less the delays of a busy machine. */
const FASTEST_POLL_MS = 2500;

/** A poll this soon after the last answer was sent before that answer arrived. */
const RACE_MS = 50;

/** Two clocks that run side by side differ by at most this. */
const DRIFT_MS = 5;

/**
 * `POST /status.php`: finds polls without a payment, too fast, and after the end.
 * @returns whether this explains a refusal
 */
export function auditPoll(state: AuditState, reading: Reading): boolean {
  const { call, at } = reading;
  if (isRefused(call)) return auditRefusedPoll(state, reading);
  const payment = state.payments.byCheckoutId(call.checkoutRequestId ?? "");
  if (!payment || (isByMomo(call) && !payment.start?.isByMomo)) return false;
  auditFollowed(state, payment, reading);
  const status = call.status === 200 ? textIn(call, "status") : null;
  const isFinal = status !== null && status !== "pending";
  payment.asks += 1;
  payment.lastAsk = { requestId: call.id, at };
  payment.rowBefore = null;
  if (isFinal) payment.toldMs ??= at.realMs;
  const client = call.headers.get("User-Agent") ?? "";
  const poller = pollerOf(payment, client);
  if (poller) judge(state, reading, payment, poller);
  const isRead = isSurelyRead(call);
  const finalRead = isFinal && isRead ? { status, at } : null;
  if (!poller) {
    addPoller(payment, {
      client,
      lastAtMs: call.atMs,
      lastAnswered: at,
      hasReadPending: isRead && !isFinal,
      finalRead,
      hasRaced: false,
    });
    return false;
  }
  poller.lastAtMs = call.atMs;
  poller.lastAnswered = at;
  poller.hasReadPending = isRead && !isFinal;
  poller.finalRead ??= finalRead;
  return false;
}

function judge(state: AuditState, { call, at }: Reading, payment: Payment, poller: Poller): void {
  const { finalRead } = poller;
  const intervalMs = call.atMs - poller.lastAtMs;
  const subject = payment.checkoutRequestId;
  const facts = { subject, requestIds: [call.id], payment, atMs: call.atMs };
  if (finalRead) {
    const sinceMs = cameMs(call, at) - finalRead.at.realMs;
    if (sinceMs < RACE_MS && !poller.hasRaced) poller.hasRaced = true;
    // One poll long after the end is a lookup, not polling.
    else if (sinceMs >= 0 && intervalMs < PATTERN_MS) state.add({ ...facts, ...askedAfter(finalRead.status) });
    return;
  }
  // After an error or a lost answer a client may poll again at once. Parallel polls have no interval.
  const isNext = poller.hasReadPending && cameMs(call, at) >= poller.lastAnswered.realMs;
  // While the clock is frozen or moved, intervals mean nothing.
  const shift = at.nowMs - at.realMs - (poller.lastAnswered.nowMs - poller.lastAnswered.realMs);
  if (isNext && intervalMs > 0 && intervalMs < FASTEST_POLL_MS && Math.abs(shift) <= DRIFT_MS) {
    const message = `Asked again after ${inSeconds(intervalMs)}; the service recommends 3 to 5 s between two polls.`;
    state.add({ ...facts, kind: "polls_too_fast", message });
  }
}

const askedAfter = (status: string): Pick<Mistake, "kind" | "message"> =>
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

/** A poll in one line of code. */
export const rightPoll = (base: string): string =>
  `await fetch(origin + "${base}/status.php", { method: "POST", headers, body: JSON.stringify({ checkout_request_id }) })`;

function auditRefusedPoll(state: AuditState, reading: Reading): boolean {
  const { members } = reading.call;
  const named = markNamed(state.payments, reading);
  if (named?.form) {
    addUnknownId(state, reading, named);
    return true;
  }
  const id = members?.checkout_request_id;
  if (reading.call.status === 401 || named || !members) return false;
  const text = typeof id === "object" || id === undefined ? "" : String(id);
  const isNothing = NOTHING.has(text.trim().toLowerCase());
  if (isNothing || (state.lastRefusal !== null && !text.startsWith("ws_"))) {
    addMisread(state, reading, id, isNothing);
    return true;
  }
  if (reading.call.status !== 404) return false;
  // Its client does not know that the sandbox was reset.
  if (!state.payments.isForgotten(text)) addUnknownId(state, reading, null);
  return true;
}

/** The client asked for a status without an id, or with one that it did not get from the service. */
function addMisread(state: AuditState, { call }: Reading, id: unknown, isNothing: boolean): void {
  const { lastRefusal } = state;
  const asked = id === undefined ? "without a checkout_request_id" : `with the checkout_request_id ${shown(id)}`;
  state.add({
    kind: "failure_misread",
    subject: isNothing ? "nothing" : "unknown",
    requestIds: [...(lastRefusal ? [lastRefusal.requestId] : []), call.id],
    atMs: call.atMs,
    message: lastRefusal
      ? `The payment was refused (${lastRefusal.status === null ? "no answer" : `HTTP ${lastRefusal.status}`}), but then the client asked for a status ${asked}, as if there were a payment.`
      : `The client asked for a status ${asked}: it did not check the answer that should contain the id.`,
  });
}

/** The client asked for the status of an id that was not issued here, or not in this form. */
function addUnknownId(state: AuditState, reading: Reading, named: Named | null): void {
  const { call, base } = reading;
  const sent = named?.sent ?? String(call.members?.checkout_request_id);
  const what =
    named === null ? "the sandbox has issued no such id" : `this is ${named.form}, ${named.payment.checkoutRequestId}`;
  state.add({
    kind: "unknown_id",
    subject: named?.form ?? "",
    requestIds: [call.id],
    payment: named?.payment ?? null,
    atMs: call.atMs,
    message: `The status of “${clean(sent)}” was asked for: ${what}. momo answered “${messageOf(call)}”.`,
    advice: `Send the checkout_request_id of the answer to the push, unchanged: ${rightPoll(base)}`,
  });
}
