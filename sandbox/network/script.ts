import type { Prompt } from "../../src/domain/provider.ts";
import { readNaming } from "../../src/domain/what-came.ts";
import { type Choice, parseChoice } from "./choice.ts";
import { endingOf, type OutcomeName, outcomeOfPhone } from "./outcomes.ts";
import type { RuleBook } from "./rules.ts";

/** What a prompt will do. It is decided once, at the push, and stored in the memo of the transaction. */
export interface Script {
  readonly outcome: OutcomeName;
  /** When the network answers; null if it does not. */
  readonly atMs: number | null;
  readonly by: Decider;
}

/** Who decided the outcome, or `person` for an answer by hand. {@link decide} has the order. */
export type Decider =
  | { readonly who: "header" | "network_limit" | "test_phone" | "default" | "person" }
  /** `rule`: its place in the list when it decided, from 1. */
  | { readonly who: "rule"; readonly rule: number };

/** The network's limit for one transaction: KES 250,000. */
export const NETWORK_LIMIT_CENTS = 250_000_00;

/**
 * Who decides, in order: the instruction that came with the request, the rules, the network's own limit, the table of test
 * phones, the default.
 * @throws Refusal `invalid` for an instruction that is not an outcome
 */
export function decide(prompt: Prompt, rules: Pick<RuleBook, "take">, fallback: Choice): Script {
  if (prompt.instruction !== null) {
    const choice = readNaming(prompt.instruction, (text) => parseChoice(text, "X-Sandbox-Outcome"));
    return schedule(choice, prompt, { who: "header" });
  }
  const ruled = rules.take(prompt);
  if (ruled) return schedule(ruled, prompt, { who: "rule", rule: ruled.rule });
  if (prompt.amountCents > NETWORK_LIMIT_CENTS) {
    return schedule({ outcome: "over_limit", afterMs: null }, prompt, { who: "network_limit" });
  }
  const ofPhone = outcomeOfPhone(prompt.phone);
  if (ofPhone) return schedule({ outcome: ofPhone, afterMs: null }, prompt, { who: "test_phone" });
  return schedule(fallback, prompt, { who: "default" });
}

/** Turns "after 3 s" into an instant. */
function schedule({ outcome, afterMs }: Choice, { pushedAtMs, expiresAtMs }: Prompt, by: Decider): Script {
  const ending = endingOf(outcome);
  if (ending.by !== "network") return { outcome, atMs: null, by };
  const delayMs = afterMs ?? ending.afterMs;
  return { outcome, atMs: delayMs === null ? expiresAtMs : pushedAtMs + delayMs, by };
}
