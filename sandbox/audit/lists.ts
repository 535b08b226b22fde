import { parametersIn } from "../../src/domain/parameters.ts";
import { clean, isRefused, type Reading } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { type History, recordList, recordMentions } from "./history.ts";
import { namesOne } from "./mentions.ts";

/** `GET /transactions.php` */
export function auditList(history: History, reading: Reading): Mistake[] {
  const { call, query, inputs } = reading;
  const parameters = parametersIn(query);
  const search = parameters.get("search");
  const isForOne = search !== null || parameters.has("id");
  recordList(history, reading, search, isForOne);
  const unknown = [...new Set(parameters.keys())].filter((name) => inputs?.includes(name) === false);
  if (unknown.length > 0 || isRefused(call)) recordMentions(history, reading);
  return unknown.map((name) =>
    namesOne(name) && !isForOne && call.status === 200 ? takesFirstRow(name) : sendsUnknown(name),
  );
}

const takesFirstRow = (name: string): Mistake => ({
  kind: "takes_wrong_row",
  subject: clean(name),
  message: `The client asked for the list with “${clean(name)}”, as if this parameter selected one payment. It does not exist: the first row is the newest payment of all.`,
});

const sendsUnknown = (name: string): Mistake => ({
  kind: "unknown_parameter",
  subject: clean(name),
  message: `The list has no parameter “${clean(name)}”.`,
});
