import { cameMs, itemsIn, shown } from "./call.ts";
import { type AuditState, MOST_LIST_READS, type Reading } from "./rules.ts";

/** Parameter names that stand for one payment, in lower case and letters only. */
const NAMES_ONE =
  /^(?:(?:checkout|merchant)?(?:request)?id|transaction(?:id|code|reference|ref)?|trans(?:action)?id|tx(?:n)?(?:id|ref)?|code|ref|reference(?:id|number)?|(?:external|account|order|invoice|payment)(?:id|ref|reference|number)?|(?:momo|mpesa)?receipt(?:number|no)?|(?:momo|mpesa)(?:code|transactionid))$/;

/** `GET /transactions.php`: notes the lists that were read, and finds unknown parameters. */
export function auditList(state: AuditState, reading: Reading): void {
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
      payment.isListed = true;
      if (isFinal) payment.isFinalTold = true;
      // If its push was not answered, this may not be the payment that the client searched for.
      if (!isForOne || !payment.start?.isRead) continue;
      payment.asks += 1;
      payment.lastAsk = { requestId: call.id, at };
    }
  }
  const known = state.inputs.get("/transactions.php") ?? given;
  for (const name of given) {
    if (!known.includes(name)) auditParameter(state, reading, name, isForOne);
  }
}

function auditParameter(state: AuditState, { call }: Reading, name: string, isForOne: boolean): void {
  const namesOne = NAMES_ONE.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
  const isWrongRow = namesOne && !isForOne && call.status === 200;
  state.note({
    kind: isWrongRow ? "takes_wrong_row" : "unknown_parameter",
    subject: shown(name),
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
    message: () =>
      isWrongRow
        ? `The client asked for the list with “${shown(name)}”, as if this parameter selected one payment. It does not exist: the first row is the newest payment of all.`
        : `The list has no parameter “${shown(name)}”.`,
  });
}
