import { clean, messageOf } from "./call.ts";
import { markNamed } from "./named.ts";
import { rightPoll } from "./polls.ts";
import type { AuditState, Reading } from "./rules.ts";

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

/**
 * Finds requests to a path that does not exist.
 * @returns whether this explains the refusal
 */
export function auditPath(state: AuditState, reading: Reading, path: string): boolean {
  const { call, base } = reading;
  if (call.status !== 404) return false;
  const parts = path
    .toLowerCase()
    .slice(path.startsWith(base) ? base.length : 0)
    .split("/");
  const meant = parts.reverse().flatMap((part) => MEANT.find(([pattern]) => pattern.test(part))?.[1] ?? [])[0];
  if (meant !== "/stkpush.php") markNamed(state.payments, reading);
  // A path with an id is another one for each payment.
  state.add({
    kind: "unknown_path",
    subject: clean(path.replaceAll(/ws_[^/]*|[0-9]{4,}/g, "…")),
    requestIds: [call.id],
    atMs: call.atMs,
    message: `There is nothing at ${clean(path)}${meant === undefined ? "." : `; ${base}${meant} was probably meant.`}`,
  });
  return true;
}

/** Finds requests with the other method on a path of the service. */
export function auditMethod(state: AuditState, reading: Reading, operation: string, right: string): boolean {
  const { call, base } = reading;
  if (call.status !== 405) return false;
  const isPoll = operation === "/status.php";
  const named = operation === "/stkpush.php" ? null : markNamed(state.payments, reading);
  state.add({
    kind: "wrong_method",
    subject: `${call.method} ${operation}`,
    requestIds: [call.id],
    payment: named?.payment ?? null,
    atMs: call.atMs,
    message: `${isPoll ? "The status was asked for" : `${operation} was called`} with ${clean(call.method)}: “${messageOf(call)}”.`,
    advice: `Right: ${isPoll ? rightPoll(base) : `await fetch(origin + "${base}${operation}", { method: "${right}", headers${right === "POST" ? ", body" : ""} })`}`,
  });
  return true;
}
