import type { AnsweredRequest } from "../request-log.ts";
import { cameMs, clean, isByMomo, isRefused, messageOf, rowsIn } from "./call.ts";
import { markNamed, namesOne } from "./named.ts";
import type { Payment, Search } from "./payments.ts";
import { type AuditState, MOST_LOOKS, PATTERN_MS, type Reading } from "./rules.ts";

/**
 * `GET /transactions.php`: notes what the list has shown, and finds unknown parameters.
 * @returns whether this explains a refusal
 */
export function auditList(state: AuditState, reading: Reading): boolean {
  const { call, at, query } = reading;
  const parameters = new URLSearchParams(query);
  const given = [...new Set(parameters.keys())];
  const search = parameters.get("search");
  const isForOne = search !== null || given.includes("id");
  const rows = call.status === 200 ? rowsIn(call) : [];
  rememberLook(state, reading, search, rows);
  const shown: Payment[] = [];
  const lost = isForOne ? null : lastLost(state);
  for (const { id, status } of rows) {
    const payment = state.payments.byNumber(id);
    if (!payment || (isByMomo(call) && !payment.start?.isByMomo)) continue;
    shown.push(payment);
    markShown(
      payment,
      reading,
      status !== "pending",
      isForOne && (payment.start?.isRead || isReference(payment, search)),
    );
  }
  if (search !== null) rememberStrays(state, reading, search, shown);
  const [first] = shown;
  if (lost && first && first !== lost) {
    first.foundBy = { requestId: call.id, text: null, cameMs: cameMs(call, at), isFirstRow: false };
  }
  const known = state.inputs().get("/transactions.php") ?? given;
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0 || isRefused(call)) markNamed(state.payments, reading);
  for (const name of unknown) auditParameter(state, reading, name, isForOne);
  return false;
}

/** The last payment that its client knows nothing of. */
const lastLost = ({ payments }: AuditState): Payment | undefined =>
  [...payments.all()].findLast(({ start, toldMs }) => start && !start.isRead && !start.isByMomo && toldMs === null);

function rememberLook(
  { looks }: AuditState,
  { call, at }: Reading,
  search: string | null,
  rows: ReturnType<typeof rowsIn>,
): void {
  if (looks.length >= MOST_LOOKS) looks.shift();
  looks.push({
    cameMs: cameMs(call, at),
    answeredMs: at.realMs,
    search,
    shown: new Set(rows.map(({ id }) => id)),
    refusal: refusalOf(call),
    isByMomo: isByMomo(call),
  });
}

function refusalOf(call: AnsweredRequest): string | null {
  if (call.status === 200) return null;
  return call.status === null ? "its answer was lost" : `${call.status} “${clean(messageOf(call))}”`;
}

/** A client that asks so soon after a search takes what it has found. */
const AT_ONCE_MS = 1000;

/** @param isAsked whether the list was asked for this payment */
function markShown(payment: Payment, { call, at }: Reading, isFinal: boolean, isAsked = false): void {
  payment.isNamed = true;
  if (isFinal) payment.toldMs ??= at.realMs;
  if (!isAsked) return;
  payment.asks += 1;
  payment.lastAsk = { requestId: call.id, at };
}

/** Letters of any case are the same for a search. */
const isReference = ({ reference }: { reference: string | null }, search: string | null): boolean =>
  search !== null && reference?.toLowerCase() === search.toLowerCase();

/** Notes what a search for the reference of one payment has shown of others. */
function rememberStrays(
  { payments, attempts }: AuditState,
  { call, at }: Reading,
  text: string,
  shown: Payment[],
): void {
  const own = shown.find((payment) => isReference(payment, text));
  if (own) own.rowBefore = shown[0] === own || own.start?.isRead ? null : (shown[0] ?? null);
  const strays = shown.filter((payment) => !isReference(payment, text));
  if (own) own.foundBy = null;
  if (strays.length === 0) return;
  const isOwn = (charge: { reference: string | null }) => isReference(charge, text);
  if (!own && !attempts.some(isOwn) && ![...payments.all()].some(isOwn)) return;
  const search = { requestId: call.id, text, cameMs: cameMs(call, at) };
  for (const stray of strays) stray.foundBy = { ...search, isFirstRow: stray === shown[0] };
}

/** The client follows a payment. Finds whether it can know this one only from a search for another one. */
export function auditFollowed(state: AuditState, payment: Payment, { call, at }: Reading): void {
  const { foundBy, toldMs, start, pollers } = payment;
  if (!foundBy) return;
  const sinceMs = cameMs(call, at) - foundBy.cameMs;
  if (sinceMs > PATTERN_MS) return;
  payment.foundBy = null;
  // A client may follow a payment that it has pushed. But if it first asks right after the search, it took the search's first row.
  const isTaken = foundBy.isFirstRow && pollers.length === 0 && sinceMs < AT_ONCE_MS;
  if (start?.isRead && !isTaken && (toldMs === null || toldMs >= foundBy.cameMs)) return;
  state.add({
    kind: "takes_wrong_row",
    subject: payment.checkoutRequestId,
    requestIds: [foundBy.requestId, call.id],
    payment,
    atMs: call.atMs,
    message: wrongRow(foundBy, payment),
  });
}

export const wrongRow = ({ text }: Pick<Search, "text">, { reference }: Payment): string =>
  `The client ${text === null ? "listed all payments" : `searched for “${clean(text)}”`}, and took a payment ${
    reference ? `of another reference, “${clean(reference)}”` : "without a reference"
  }.`;

function auditParameter(state: AuditState, { call }: Reading, name: string, isForOne: boolean): void {
  const isWrongRow = namesOne(name) && !isForOne && call.status === 200;
  state.add({
    kind: isWrongRow ? "takes_wrong_row" : "unknown_parameter",
    subject: clean(name),
    requestIds: [call.id],
    atMs: call.atMs,
    message: isWrongRow
      ? `The client asked for the list with “${clean(name)}”, as if this parameter selected one payment. It does not exist: the first row is the newest payment of all.`
      : `The list has no parameter “${clean(name)}”.`,
  });
}
