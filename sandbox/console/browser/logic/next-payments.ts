import { describeFault, kindOf } from "../../../faults/kinds.ts";
import { NETWORK_LIMIT_CENTS } from "../../../network/limit.ts";
import { type Compared, matches } from "../../../network/rule-match.ts";
import type { ApiCall, Default, Fault, Outcome, Rule } from "../wire.ts";
import { outcomeInWords } from "./decisions.ts";
import { counted } from "./format.ts";
import type { Entry } from "./steering.ts";

/** What happens to the payments to come, and who decides it. */

const START_PATH = "/stkpush.php";

/** How the request that starts a payment can fail, by the value of the choice. */
export const REQUEST_FAILURES = {
  "request:error": { words: "stkpush.php answers HTTP 503, and stores nothing", kind: "error", status: 503 },
  "request:lost": { words: "stkpush.php gives no answer, but the payment exists", kind: "disconnect" },
  "request:slow": { words: "stkpush.php answers 30 s late", kind: "delay", delay: "30s" },
} as const;

export const isRequestFailure = (choice: string): choice is keyof typeof REQUEST_FAILURES =>
  Object.hasOwn(REQUEST_FAILURES, choice);

/** The call that sets it for a number of payments: a fault or a rule, after those that are for the next ones, and before all others. */
export function callFor(choice: string, times: unknown, rules: readonly Rule[], faults: readonly Fault[]): ApiCall {
  if (!isRequestFailure(choice)) {
    const others = rules.filter(({ match, times }) => times === undefined || Object.keys(match).length > 0);
    return { method: "POST", path: pathBefore("/rules", others), body: { outcome: choice, times } };
  }
  const others = faults.filter(({ path, times, ...fault }) => times === undefined || !strikesEach(path, fault));
  const { words: _, ...fault } = REQUEST_FAILURES[choice];
  return { method: "POST", path: pathBefore("/faults", others), body: { ...fault, path: START_PATH, times } };
}

const pathBefore = (path: string, [first]: readonly { readonly id: number }[]): string =>
  first === undefined ? path : `${path}?before=${first.id}`;

/** Whether a fault strikes each request that starts a payment. */
const strikesEach = (path: string | undefined, fault: Pick<Fault, "kind" | "probability">): boolean =>
  (path === undefined || path === START_PATH) && fault.probability >= 1 && !kindOf(fault).count;

/** What is left, in the order in which it happens: a request comes before its payment. What is never reached is left out. */
export function nextPayments(rules: readonly Rule[], faults: readonly Fault[]): Entry[] {
  const failing: Entry[] = [];
  for (const { id, path, times, ...fault } of faults) {
    if (!strikesEach(path, fault)) continue;
    if (times === undefined) break;
    const turn = turnOf(times, failing.length, "stkpush.php request");
    if (path === START_PATH) failing.push(entryOf(`/faults/${id}`, `${turn}: ${describeFault(fault)}`));
  }
  const ending: Entry[] = [];
  for (const rule of rules) {
    if (Object.keys(rule.match).length > 0) continue;
    if (rule.times === undefined) break;
    const turn = turnOf(rule.times, ending.length, "payment");
    ending.push(entryOf(`/rules/${rule.id}`, `${turn}: ${outcomeInWords(rule)}`));
  }
  return [...failing, ...ending];
}

const entryOf = (path: string, words: string): Entry => ({ path, words, name: `“${words}”` });

function turnOf(times: number, before: number, what: "stkpush.php request" | "payment"): string {
  if (before > 0) return `Then ${counted(times, what)}`;
  return times === 1 ? `The next ${what}` : `The next ${counted(times, what)}`;
}

/** A payment that a person is about to start. */
export interface Planned extends Compared {
  /** What the person chose for it; empty if the sandbox decides. */
  readonly outcome: string;
}

interface Deciders {
  readonly rules: readonly Rule[];
  readonly outcomes: readonly Outcome[];
  readonly fallback: Default;
}

/** Who will decide how it ends, in the order of the network: `Rule 2 decides: wrong_pin after 3s.` */
export function plannedDecision(planned: Planned, { rules, outcomes, fallback }: Deciders): string {
  if (planned.outcome !== "") return `This choice decides, before rules and test phones: ${planned.outcome}.`;
  const rule = rules.find(({ match }) => matches(match, planned));
  if (rule) return `Rule ${rule.id} decides: ${outcomeInWords(rule)}.`;
  if (planned.amountCents > NETWORK_LIMIT_CENTS) return "The limit of the network decides: over_limit.";
  const ofPhone = outcomes.find(({ phone }) => phone === planned.phone);
  if (ofPhone) return `This test phone decides: ${ofPhone.name}.`;
  return `The default decides: ${outcomeInWords(fallback)}.`;
}
