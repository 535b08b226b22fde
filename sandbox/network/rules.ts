import { invalid } from "../../src/domain/error.ts";
import { createListeners } from "../../src/domain/listeners.ts";
import { parseAmount } from "../../src/domain/money.ts";
import type { Prompt } from "../../src/domain/provider.ts";
import type { Rule } from "../control/shapes/steering.ts";
import type { Choice } from "./choice.ts";

export const MAX_RULES = 1000;

export type RuleBook = ReturnType<typeof createRuleBook>;

interface RuleChoice extends Choice {
  /** The rule's place in the list when it decided, from 1. */
  readonly rule: number;
}

/** The rules in force, in order. They are kept in memory; decisions are stored with the transactions. */
export function createRuleBook(start: readonly Rule[], reportFault: (error: unknown) => void) {
  let rules: readonly Rule[] = [];
  const counted = createListeners<[]>(reportFault);
  replace(start);

  /** @throws Refusal `invalid` beyond {@link MAX_RULES} */
  function replace(next: readonly Rule[]): void {
    if (next.length > MAX_RULES) throw invalid(`there can be at most ${MAX_RULES} rules`);
    rules = next;
  }

  return {
    /** Its listener is called when one of the times of a rule is used up. */
    subscribe: counted.subscribe,
    list: (): readonly Rule[] => rules,
    append: (more: readonly Rule[]): void => replace([...rules, ...more]),
    replace,
    save: () => rules,
    load: replace,
    reset: () => replace([]),
    /** Whether `take` uses up one of the times of a rule. */
    isCounted: (prompt: Prompt): boolean => (rules.find(({ match }) => matches(match, prompt))?.times ?? 0) > 0,
    /** The choice of the first rule that matches. A rule with a count is used once, and removed at zero. */
    take(prompt: Prompt): RuleChoice | null {
      const index = rules.findIndex(({ match }) => matches(match, prompt));
      const rule = rules[index];
      if (!rule) return null;
      if (rule.times !== undefined) {
        const left = { ...rule, times: rule.times - 1 };
        rules = rules.flatMap((other) => (other !== rule ? [other] : left.times > 0 ? [left] : []));
        counted.announce();
      }
      return { ...rule, rule: index + 1 };
    },
  };
}

/** An absent member matches everything; a text that ends with `*` matches each text with this start. */
function matches(
  { phone, amount, payment_account_id, reference, description }: Rule["match"],
  prompt: Prompt,
): boolean {
  return (
    (amount === undefined || parseAmount(amount) === prompt.amountCents) &&
    (payment_account_id === undefined || payment_account_id === prompt.paymentAccountId) &&
    fits(phone, prompt.phone) &&
    fits(reference, prompt.reference) &&
    fits(description, prompt.description)
  );
}

function fits(pattern: string | undefined, text: string | null): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith("*") ? (text?.startsWith(pattern.slice(0, -1)) ?? false) : pattern === text;
}
