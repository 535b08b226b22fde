import { cameMs, isSurelyRead, shown, textIn } from "./call.ts";
import { addPoller, type Payment, type Poller, pollerOf } from "./payments.ts";
import { type AuditState, inSeconds, membersIn, PATTERN_MS, type Reading } from "./rules.ts";

/** Polls below this interval are too fast: the 3 s of §4.4, less the delays of a busy machine. */
export const FASTEST_POLL_MS = 2500;

/** A poll this soon after the last answer was sent before that answer arrived. */
const RACE_MS = 50;

/** Two clocks that run side by side differ by at most this. */
const DRIFT_MS = 5;

/** `POST /status.php`: finds polls without a payment, too fast, and after the end. */
export function auditPoll(state: AuditState, reading: Reading): void {
  const { call, at } = reading;
  const members = membersIn(reading);
  const id = members?.checkout_request_id;
  const payment = typeof id === "string" ? state.payments.byCheckoutId(id.trim()) : undefined;
  if (!payment) {
    if (call.status !== 200 && call.fault === null && members) auditUnknownId(state, reading, members);
    return;
  }
  const status = call.status === 200 ? textIn(call.answer, "status") : null;
  const isFinal = status !== null && status !== "pending";
  payment.asks += 1;
  payment.lastAsk = { requestId: call.id, at };
  if (isFinal) payment.isFinalTold = true;
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
    return;
  }
  poller.lastAtMs = call.atMs;
  poller.lastAnswered = at;
  poller.hasReadPending = isRead && !isFinal;
  poller.finalRead ??= finalRead;
}

function judge(state: AuditState, { call, at }: Reading, payment: Payment, poller: Poller): void {
  const { finalRead } = poller;
  const intervalMs = call.atMs - poller.lastAtMs;
  const mistake = { subject: payment.checkoutRequestId, requestIds: [call.id], payment, atMs: call.atMs };
  if (finalRead) {
    const sinceMs = cameMs(call, at) - finalRead.at.realMs;
    if (sinceMs < RACE_MS && !poller.hasRaced) poller.hasRaced = true;
    // One poll long after the end is a lookup, not polling.
    else if (sinceMs >= 0 && intervalMs < PATTERN_MS) {
      const isCompleted = finalRead.status === "completed";
      state.note({
        ...mistake,
        kind: isCompleted ? "polls_after_completed" : "ignores_final",
        message: () =>
          isCompleted
            ? "Asked again after the answer was “completed”: a client that credits when it reads “completed” credits again."
            : `Asked again after the answer was “${finalRead.status}”. This status is final, but the client treats it like “pending”.`,
      });
    }
    return;
  }
  // After an error or a lost answer a client may poll again at once. Parallel polls have no interval.
  const isNext = poller.hasReadPending && cameMs(call, at) >= poller.lastAnswered.realMs;
  // While the clock is frozen or moved, intervals mean nothing.
  const shift = at.nowMs - at.realMs - (poller.lastAnswered.nowMs - poller.lastAnswered.realMs);
  if (isNext && intervalMs > 0 && intervalMs < FASTEST_POLL_MS && Math.abs(shift) <= DRIFT_MS) {
    state.note({
      ...mistake,
      kind: "polls_too_fast",
      message: () => `Asked again after ${inSeconds(intervalMs)}; the service recommends 3 to 5 s between two polls.`,
    });
  }
}

/** What programs send when they have no id. */
const NOTHING = new Set(["", "undefined", "null", "none", "nil", "nan", "false", "0", "[object object]"]);

/** The client asked for the status of an id that is none of its payments. */
function auditUnknownId(state: AuditState, { call }: Reading, members: Readonly<Record<string, unknown>>): void {
  const id = members.checkout_request_id;
  const isNothing = id === undefined || id === null || NOTHING.has(String(id).trim().toLowerCase());
  // The right id under a wrong name is another mistake.
  const hasId = Object.values(members).some((value) => typeof value === "string" && value.startsWith("ws_CO_"));
  const { lastRefusal } = state;
  if (hasId || !(isNothing || lastRefusal !== null)) return;
  const asked =
    id === undefined ? "without a checkout_request_id" : `with the checkout_request_id ${shown(JSON.stringify(id))}`;
  state.note({
    kind: "failure_misread",
    subject: isNothing ? "nothing" : "unknown",
    requestIds: [...(lastRefusal ? [lastRefusal.requestId] : []), call.id],
    payment: null,
    atMs: call.atMs,
    message: () =>
      lastRefusal
        ? `The payment was refused (${lastRefusal.status === null ? "no answer" : `HTTP ${lastRefusal.status}`}), but then the client asked for a status ${asked}, as if there were a payment.`
        : `The client asked for a status ${asked}: it did not check the answer that should contain the id.`,
  });
}
