import { shown } from "./call.ts";
import type { AuditState, Reading } from "./rules.ts";

/** Paths that browsers and probes request by themselves. */
const AUTOMATIC = /^\/(?:favicon\.ico|robots\.txt|apple-touch-icon[^/]*|\.well-known\/.*|openapi\.json)?$/;

/** The operation that the last part of a path probably means. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/status|check|query|verify|poll/, "/status.php"],
  [/stk|push|pay|charge|initiate|collect|checkout/, "/stkpush.php"],
  [/transaction|history|list|report/, "/transactions.php"],
];

/** Finds requests to a path that does not exist. */
export function auditPath(state: AuditState, { call }: Reading, path: string, basePath: string): void {
  if (call.status !== 404 || AUTOMATIC.test(path) || path === basePath || path === `${basePath}/`) return;
  const words = path.toLowerCase().split("/").filter(Boolean);
  const last = words.at(-1) ?? "";
  const meant = MEANT.find(([pattern]) => pattern.test(last))?.[1];
  state.note({
    kind: "unknown_path",
    subject: shown(path),
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
    message: () =>
      meant === undefined
        ? `There is nothing at ${shown(path)}.`
        : `There is nothing at ${shown(path)}; ${basePath}${meant} was probably meant.`,
  });
}
