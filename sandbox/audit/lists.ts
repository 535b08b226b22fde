import { cameMs, clean, isRefused, itemsIn } from "./call.ts";
import { namesOne, noteNamed } from "./named.ts";
import { type AuditState, MOST_LIST_READS, type Reading } from "./rules.ts";

/**
 * `GET /transactions.php`: notes the lists that were read, and finds unknown parameters.
 * @returns whether this explains a refusal
 */
export function auditList(state: AuditState, reading: Reading): boolean {
  const { call, at, query } = reading;
  const given = query === "" ? [] : [...new Set(new URLSearchParams(query).keys())];
  const isForOne = given.includes("id") || given.includes("search");
  const came = cameMs(call, at);
  state.lastListMs = Math.max(state.lastListMs, came);
  if (call.status === 200) {
    if (state.listReads.length >= MOST_LIST_READS) state.listReads.shift();
    state.listReads.push({ cameMs: came, answeredMs: at.realMs });
    for (const { number, isFinal } of itemsIn(call.answer ?? "")) {
      const payment = state.payments.byNumber(number);
      if (!payment) continue;
      payment.isNamed = true;
      if (isFinal) payment.isFinalTold = true;
      // If its push was not answered, this may not be the payment that the client searched for.
      if (!isForOne || !payment.start?.isRead) continue;
      payment.asks += 1;
      payment.lastAsk = { requestId: call.id, at };
    }
  }
  const known = state.inputs().get("/transactions.php") ?? given;
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0 || isRefused(call)) noteNamed(state.payments, reading);
  for (const name of unknown) auditParameter(state, reading, name, isForOne);
  return false;
}

function auditParameter(state: AuditState, { call }: Reading, name: string, isForOne: boolean): void {
  const isWrongRow = namesOne(name) && !isForOne && call.status === 200;
  state.note(isWrongRow ? "takes_wrong_row" : "unknown_parameter", clean(name), call.id, () => ({
    atMs: call.atMs,
    message: isWrongRow
      ? `The client asked for the list with “${clean(name)}”, as if this parameter selected one payment. It does not exist: the first row is the newest payment of all.`
      : `The list has no parameter “${clean(name)}”.`,
  }));
}
