import type { Facts } from "../facts/facts.ts";
import { refusalKey, sentenceOf } from "../facts/refusals.ts";
import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";
import { LENIENT_ADVICE } from "../words.ts";
import { isMisread } from "./failure-misread.ts";
import { numbersAsText } from "./number-as-text.ts";
import { unknownId } from "./unknown-id.ts";

const ADVICE = "Correct what the message names. The program under test may have hidden this refusal.";

export const refused = requestRule({
  kind: "refused",
  severity: "warning",
  section: "§7",
  label: "is refused",
  advice: ADVICE,
  judges: "requests",
  of: ["push", "status", "list", "method", "path"],
  judge: (request, facts): Verdict | null =>
    request.isRefused && !isExplained(request, facts) ? { group: refusalKey(request.call) } : null,
  explain: ({ call }) => ({
    message: `Refused with HTTP ${call.status}: “${sentenceOf(call)}”.`,
    ...(call.isTakenLeniently && { advice: ADVICE + LENIENT_ADVICE }),
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
  }),
});

/** Whether another finding says what is wrong with the request, or nothing is. */
function isExplained(request: ClientRequest, facts: Facts): boolean {
  const { operation, call, sentId } = request;
  if (operation === "path") return call.status === 404;
  if (operation === "method") return call.status === 405;
  if (operation === "push") return isForText(request);
  if (operation === "list") return false;
  // A client that still asks for a payment does not know that the sandbox was reset.
  const isFromBefore = call.status === 404 && facts.forgotten.has(sentId);
  return isFromBefore || isMisread(request, facts) || unknownId.judge(request, facts) !== null;
}

/** Whether numbers as text are all that is wrong. */
function isForText(request: ClientRequest): boolean {
  const texts = numbersAsText(request);
  const { issues = [] } = request.call.refusal ?? {};
  return texts.length > 0 && issues.length > 0 && issues.every(({ path }) => texts.includes(path));
}
