import { describeFault } from "../../../faults/kinds.ts";
import type { ClockReading, Default, Delivery, Fault, Rule, ServerFacts } from "../wire.ts";
import { outcomeInWords } from "./decisions.ts";
import { counted, countedAll, formatAmount, formatCount, formatPhone } from "./format.ts";

/** Settings that differ from the defaults. They explain an unexpected outcome. */
export interface Steered {
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  readonly fallback: Default | null;
  readonly clock: Pick<ClockReading, "frozen"> | null;
  readonly server: Pick<ServerFacts, "accept"> | null;
  /** The address of the webhook; null if there is none. */
  readonly webhook: string | null;
}

/** Each in a few words: `4 rules`, `1 fault`, `default cancelled`. Empty if nothing differs. */
export function unusual({ rules, faults, fallback, clock, server, webhook }: Steered): string[] {
  const isPlain = fallback === null || (fallback.outcome === "completed" && fallback.after === "3s");
  return [
    ...countedAll({ rule: rules.length, fault: faults.length }),
    ...(clock?.frozen ? ["clock frozen"] : []),
    ...(isPlain ? [] : [`default ${outcomeInWords(fallback)}`]),
    ...(server?.accept === "lenient" ? ["lenient"] : []),
    ...(webhook === null ? [] : ["webhook"]),
  ];
}

/** `1,000 of 10,050 prompts open` */
export function openPrompts(here: number, leftOut: number): string {
  if (leftOut > 0) return `${formatCount(here)} of ${counted(here + leftOut, "prompt")} open`;
  return here === 0 ? "No prompt open" : `${counted(here, "prompt")} open`;
}

/** A rule or a fault in a list. */
export interface Entry {
  /** Its path in the API. */
  readonly path: string;
  /** What its button removes. */
  readonly name: string;
  /** Shown before its words. A number alone would look like a place in the list. */
  readonly label?: string;
  readonly words: string;
  /** Fills in the form with it. */
  readonly change?: (() => void) | undefined;
}

/** `KES 100.00 from 0712 345 678: insufficient_funds after 3s, once` */
export function ruleInWords({ match, outcome, after, result_code, times }: Omit<Rule, "id">): string {
  const { phone, amount, payment_account_id, reference, description } = match;
  const conditions = [
    ...(amount !== undefined ? [`KES ${formatAmount(amount)}`] : []),
    ...(phone !== undefined ? [`from ${formatPhone(phone)}`] : []),
    ...(payment_account_id !== undefined ? [`to account ${payment_account_id}`] : []),
    ...(reference !== undefined ? [`for ${reference}`] : []),
    ...(description !== undefined ? [`described as ${description}`] : []),
  ];
  const code = result_code === undefined ? "" : ` (${result_code})`;
  const decided = `${outcome}${code}${after === undefined ? "" : ` after ${after}`}`;
  if (conditions.length > 0) return `${conditions.join(" ")}: ${decided}${countWords(times)}`;
  if (times === undefined) return `every payment: ${decided}`;
  return `${times === 1 ? "the next payment" : `the next ${counted(times, "payment")}`}: ${decided}`;
}

/** The rule before it that decides for all of its payments, always; undefined if it can be reached. */
export function ruleBefore(rule: Rule, rules: readonly Rule[]): Rule | undefined {
  const own = new Map<string, unknown>(Object.entries(rule.match));
  const takesAll = ({ match, times }: Rule) =>
    times === undefined && Object.entries(match).every(([name, value]) => own.get(name) === value);
  return rules.slice(0, rules.indexOf(rule)).find(takesAll);
}

/** `/status.php: HTTP 503, 21 % of requests, 4 times` */
export function faultInWords({ path, probability, times, ...fault }: Omit<Fault, "id">): string {
  const chance = probability < 1 ? `, ${Math.round(probability * 1000) / 10} % of requests` : "";
  return `${path ?? "every operation"}: ${describeFault(fault)}${chance}${countWords(times)}`;
}

function countWords(times: number | undefined): string {
  if (times === undefined) return "";
  return times === 1 ? ", once" : `, ${times} times`;
}

/** Deliveries with the newest first. A repeat stands below what it repeats, so that no button moves under the pointer. */
export function newestFirst(oldestFirst: readonly Delivery[]): readonly Delivery[] {
  const ordered: Delivery[] = [];
  for (const delivery of oldestFirst) {
    const repeated = ordered.findIndex(({ id }) => id === delivery.resend_of);
    ordered.splice(repeated + 1, 0, delivery);
  }
  return ordered;
}
