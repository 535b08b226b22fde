import type { Default, Rule } from "../wire.ts";

/** Who decides how a prompt ends, in words. */

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
