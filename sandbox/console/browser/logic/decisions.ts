import type { Decision, Default, Rule } from "../wire.ts";
import { formatInterval } from "./format.ts";

/** Who decides how a prompt ends, in words. */

const WHO: Readonly<Record<Exclude<Decision["who"], "rule">, string>> = {
  header: "Its request",
  network_limit: "The network's limit",
  test_phone: "This test phone",
  default: "The default",
  person: "A person",
  deadline: "The deadline",
};

/** Of a prompt that rings: `Rule 2 decides: completed in 3 s.` */
export function decisionInWords({ who, rule, outcome, at_ms }: Decision, nowMs: number | null): string {
  const decider = who === "rule" ? `Rule ${rule}` : WHO[who];
  if (at_ms === null || nowMs === null) {
    return `${decider} decides: ${outcome}${outcome === "manual" ? ", so it waits for you" : ""}.`;
  }
  const leftMs = Math.max(0, Math.ceil((at_ms - nowMs) / 1000) * 1000);
  return `${decider} decides: ${outcome} in ${formatInterval(leftMs)}.`;
}

/** Of the prompts to come: `The default decides: completed after 3s.` */
export function nextDecisionInWords(rules: readonly Rule[], fallback: Default): string {
  const place = rules.findIndex(({ match, times }) => times === undefined && Object.keys(match).length === 0);
  const decided = rules[place] ?? fallback;
  const otherwise = rules.length > 0 ? "If no rule fits, the default decides" : "The default decides";
  const decider = place < 0 ? otherwise : `Rule ${place + 1} decides`;
  return `${decider}: ${decided.outcome === "manual" ? "they wait for you" : outcomeInWords(decided)}.`;
}

/** The body of a request that sets the default of an answer again. */
export function chosenIn({ outcome, after, result_code, result_desc, message }: Default): Partial<Default> {
  // Each answer has a message. Only that of a refusal can be a part of the default.
  const isOwn = outcome === "refused" && message !== `the default outcome is ${outcome}`;
  return {
    ...{ outcome, result_code, result_desc },
    ...(isDuration(after) && { after }),
    ...(isOwn && { message }),
  };
}

/** `completed after 3s` */
export const outcomeInWords = ({ outcome, after }: { outcome: string; after?: string | null | undefined }): string =>
  isDuration(after) ? `${outcome} after ${after}` : outcome;

/** Whether it is a duration. Some outcomes have words instead: they end with the prompt timeout, or never. */
const isDuration = (after: string | null | undefined): after is string => /^[0-9]/.test(after ?? "");
