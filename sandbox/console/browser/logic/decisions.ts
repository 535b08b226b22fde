import type { Decision, Default, Rule } from "../wire.ts";
import { formatInterval } from "./format.ts";

/** Who decides how a prompt ends, in words. */

const REASONS: Readonly<Record<Exclude<Decision["who"], "rule">, string>> = {
  header: "its request asked for this",
  network_limit: "the network has this limit",
  test_phone: "this test phone always does this",
  default: "this is the default",
  person: "a person answered",
  deadline: "its time is over",
};

/** Of a prompt that rings: `If you do nothing: completed in 3 s (rule 2).` */
export function decisionInWords({ who, rule, outcome, at_ms }: Decision, nowMs: number | null): string {
  const reason = who === "rule" ? `rule ${rule}` : REASONS[who];
  if (outcome === "manual") return `This prompt waits for your answer (${reason}).`;
  if (at_ms === null || nowMs === null) return `If you do nothing: ${outcome} (${reason}).`;
  const leftMs = Math.max(0, Math.ceil((at_ms - nowMs) / 1000) * 1000);
  return `If you do nothing: ${outcome} in ${formatInterval(leftMs)} (${reason}).`;
}

/** Of the prompts to come: `By default: completed after 3s.` */
export function nextDecisionInWords(rules: readonly Rule[], fallback: Default): string {
  const rule = rules.find(({ match, times }) => times === undefined && Object.keys(match).length === 0);
  const decided = rule ?? fallback;
  const reason = rule ? `By rule ${rule.id}` : rules.length > 0 ? "If no rule fits" : "By default";
  return `${reason}: ${decided.outcome === "manual" ? "they wait for your answer" : outcomeInWords(decided)}.`;
}

/** `completed after 3s` */
export const outcomeInWords = ({ outcome, after }: { outcome: string; after?: string | null | undefined }): string =>
  isDuration(after) ? `${outcome} after ${after}` : outcome;

/** Whether it is a duration. Some outcomes have words instead: they end with the prompt timeout, or never. */
const isDuration = (after: string | null | undefined): after is string => /^[0-9]/.test(after ?? "");
