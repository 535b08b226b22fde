import { invalid } from "../../src/domain/error.ts";
import type { AmountCents } from "../../src/domain/money.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import type { Prompt } from "../../src/domain/provider.ts";
import type { Choice } from "./choice.ts";

/** What the prompts that match do. */
export interface Rule {
  /** An absent member matches everything. */
  readonly match: {
    readonly phone?: Msisdn;
    readonly amountCents?: AmountCents;
    readonly paymentAccountId?: number;
    readonly reference?: string;
  };
  readonly choice: Choice;
  /** For how many more prompts; null: for all. */
  readonly times: number | null;
}

export const MAX_RULES = 1000;

export type RuleBook = ReturnType<typeof createRuleBook>;

export interface RuleChoice extends Choice {
  /** The rule's place in the list when it decided, from 1. */
  readonly rule: number;
}

/** The rules in force, in order. They are kept in memory; decisions are stored with the transactions. */
export function createRuleBook(start: readonly Rule[] = []) {
  let rules: readonly Rule[] = [];
  replace(start);

  /** @throws Refusal `invalid` beyond {@link MAX_RULES} */
  function replace(next: readonly Rule[]): void {
    if (next.length > MAX_RULES) throw invalid(`there can be at most ${MAX_RULES} rules`);
    rules = next;
  }

  return {
    list: (): readonly Rule[] => rules,
    append: (more: readonly Rule[]): void => replace([...rules, ...more]),
    replace,
    save: () => rules,
    load: replace,
    reset: () => replace([]),
    /** Whether `take` uses up one of the times of a rule. */
    isCounted: (prompt: Prompt): boolean => (rules.find(({ match }) => matches(match, prompt))?.times ?? null) !== null,
    /** The choice of the first rule that matches. A rule with a count is used once, and removed at zero. */
    take(prompt: Prompt): RuleChoice | null {
      const index = rules.findIndex(({ match }) => matches(match, prompt));
      const rule = rules[index];
      if (!rule) return null;
      if (rule.times !== null) {
        const left = { ...rule, times: rule.times - 1 };
        rules = rules.flatMap((other) => (other !== rule ? [other] : left.times > 0 ? [left] : []));
      }
      return { ...rule.choice, rule: index + 1 };
    },
  };
}

function matches(match: Rule["match"], prompt: Prompt): boolean {
  return (
    (match.phone === undefined || match.phone === prompt.phone) &&
    (match.amountCents === undefined || match.amountCents === prompt.amountCents) &&
    (match.paymentAccountId === undefined || match.paymentAccountId === prompt.paymentAccountId) &&
    (match.reference === undefined || match.reference === prompt.reference)
  );
}
