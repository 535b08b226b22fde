import { clean, messageOf, type Reading } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { type History, recordMentions } from "./history.ts";
import { rightPoll } from "./polls.ts";

/** Paths that browsers and probes request by themselves. */
const AUTOMATIC = /^\/(?:favicon\.ico|robots\.txt|apple-touch-icon[^/]*|\.well-known\/.*|openapi\.json)?$/;

/** The operation that a part of a path probably means. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/status|check(?!out)|query|verify|poll/, "/status.php"],
  [/stk|push|pay|charge|initiate|collect|checkout/, "/stkpush.php"],
  [/transaction|history|list|report/, "/transactions.php"],
];

/** Whether browsers and probes send such a request by themselves. */
export function isAutomatic(method: string, path: string, basePaths: readonly string[]): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return AUTOMATIC.test(path) || basePaths.some((base) => path === base || path === `${base}/`);
}

/** A request to a path that does not exist. */
export function auditPath(history: History, reading: Reading): Mistake[] {
  const { call, base, path } = reading;
  if (call.status !== 404) return [];
  const parts = path
    .toLowerCase()
    .slice(path.startsWith(base) ? base.length : 0)
    .split("/");
  const meant = parts.reverse().flatMap((part) => MEANT.find(([pattern]) => pattern.test(part))?.[1] ?? [])[0];
  if (meant !== "/stkpush.php") recordMentions(history, reading);
  return [
    {
      kind: "unknown_path",
      // A path with an id is another one for each payment.
      subject: clean(path.replaceAll(/ws_[^/]*|[0-9]{4,}/g, "…")),
      message: `There is nothing at ${clean(path)}${meant === undefined ? "." : `; ${base}${meant} was probably meant.`}`,
    },
  ];
}

/** A request with the other method on a path of the service. */
export function auditMethod(history: History, reading: Reading, right: string): Mistake[] {
  const { call, base, operation } = reading;
  if (call.status !== 405) return [];
  const isPoll = operation === "/status.php";
  const mention = operation === "/stkpush.php" ? null : recordMentions(history, reading);
  return [
    {
      kind: "wrong_method",
      subject: `${call.method} ${operation}`,
      payment: mention?.payment ?? null,
      message: `${isPoll ? "The status was asked for" : `${operation} was called`} with ${clean(call.method)}: “${messageOf(call)}”.`,
      advice: `Right: ${isPoll ? rightPoll(base) : `await fetch(origin + "${base}${operation}", { method: "${right}", headers${right === "POST" ? ", body" : ""} })`}`,
    },
  ];
}
