import type { Rule } from "../wire.ts";

/**
 * Finds rules that no payment can reach, because an earlier rule without a count matches all their payments.
 * @returns for each rule the place of the earlier rule, from 1; null if it can be reached
 */
export function coveredBy(rules: readonly Rule[]): (number | null)[] {
  return rules.map((rule, index) => {
    const place = rules.slice(0, index).findIndex((before) => before.times === undefined && covers(before, rule));
    return place < 0 ? null : place + 1;
  });
}

/** Whether the first rule matches all payments that the second one matches. */
function covers({ match: wide }: Rule, { match: narrow }: Rule): boolean {
  return Object.entries(wide).every(([name, value]) => narrow[name as keyof Rule["match"]] === value);
}
