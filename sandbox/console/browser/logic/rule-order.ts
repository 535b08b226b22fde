import type { Rule } from "../wire.ts";

/**
 * The rules that no payment can reach, because one before them takes all that they match, for good.
 * @returns for each rule the place of that one, from 1; null where it can be reached
 */
export function coveredBy(rules: readonly Rule[]): (number | null)[] {
  return rules.map((rule, index) => {
    const place = rules.slice(0, index).findIndex((before) => before.times === undefined && covers(before, rule));
    return place < 0 ? null : place + 1;
  });
}

/** Whether the first matches all that the second does. */
function covers({ match: wide }: Rule, { match: narrow }: Rule): boolean {
  return Object.entries(wide).every(([name, value]) => narrow[name as keyof Rule["match"]] === value);
}
