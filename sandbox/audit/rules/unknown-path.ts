import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { clean } from "../words.ts";

/** The operation that a part of a path probably means. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/status|check(?!out)|query|verify|poll/, "/status.php"],
  [/stk|push|pay(?!out)|charge|initiate|collect|checkout/, "/stkpush.php"],
  [/transaction|history|list|report/, "/transactions.php"],
];

/** What other services have, and this one has not. */
const MISSING: readonly (readonly [RegExp, string])[] = [
  [/refund|reverse|reversal/, "no refund"],
  [/cancel|void/, "no call that cancels a payment"],
  [/b2c|payout|withdraw|disburse|transfer|send/, "no payment to a customer"],
  [/balance|wallet/, "no balance"],
  [/token|oauth|auth|login/, "no token: the key and the secret are headers"],
  [/webhook|callback|register/, "no call that sets a webhook"],
];

export const unknownPath = requestRule({
  kind: "unknown_path",
  severity: "error",
  section: "§4",
  label: "unknown path",
  advice:
    "Use the three paths of the specification below the base address: /stkpush.php, /status.php, /transactions.php.",
  judges: "requests",
  of: ["path"],
  // A path with an id is another one for each payment.
  judge: ({ call, path }): Verdict | null =>
    call.status === 404 ? { group: clean(path.replaceAll(/ws_[^/]*|[0-9]{4,}/g, "…")) } : null,
  explain(request) {
    const { call, base, path } = request;
    const parts = partsOf(request);
    const meant = firstOf(MEANT, parts);
    const missing = firstOf(MISSING, parts);
    const has = `It has ${base}/stkpush.php, ${base}/status.php and ${base}/transactions.php.`;
    const instead = missing
      ? `: the service has ${missing}. ${has}`
      : meant
        ? `; ${base}${meant} was probably meant.`
        : `. ${has}`;
    return {
      message: `There is nothing at ${clean(path)}${instead}`,
      requestIds: [call.id],
      payment: null,
      atMs: call.atMs,
    };
  },
});

/** The parts of a path below the base path, the last first. */
const partsOf = ({ path, base }: ClientRequest): string[] =>
  path
    .toLowerCase()
    .slice(path.startsWith(base) ? base.length : 0)
    .split("/")
    .reverse();

function firstOf(table: readonly (readonly [RegExp, string])[], parts: readonly string[]): string | undefined {
  return parts.flatMap((part) => table.find(([pattern]) => pattern.test(part))?.[1] ?? [])[0];
}
