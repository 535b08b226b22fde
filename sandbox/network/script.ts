import assert from "node:assert/strict";
import { MAX_DURATION_MS } from "../../src/domain/duration.ts";
import { readNaming } from "../../src/domain/error.ts";
import type { Prompt } from "../../src/domain/provider.ts";
import { type Choice, parseChoice } from "./choice.ts";
import { LAST_INSTANT_MS } from "./clock.ts";
import { endingOf, type OutcomeName, outcomeOfPhone, parseOutcomeName } from "./outcomes.ts";
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

/** A script as the memo of its transaction: a short text, such as `completed 1790000000000 rule:2`. */
export function writeMemo({ outcome, atMs, by }: Script): string {
  return `${outcome} ${atMs ?? "-"} ${by.who === "rule" ? `rule:${by.rule}` : by.who}`;
}

/** The script that {@link writeMemo} wrote. */
export function readMemo(memo: string): Script {
  const [name = "", at = "", by = ""] = memo.split(" ");
  const atMs = at === "-" ? null : Number(at);
  assert(atMs === null || Number.isSafeInteger(atMs), `not a memo of momo: ${memo}`);
  return { outcome: parseOutcomeName(name, "the memo"), atMs, by: readDecider(by) };
}

/** Whether it is a memo that the network can read: for imported copies. */
export function isMemo(memo: string): boolean {
  try {
    const { outcome, atMs } = readMemo(memo);
    if (atMs === null) return true;
    return endingOf(outcome).by === "network" && atMs >= 0 && atMs <= LAST_INSTANT_MS + MAX_DURATION_MS;
  } catch {
    return false;
  }
}

function readDecider(text: string): Decider {
  const rule = /^rule:([1-9][0-9]{0,8})$/.exec(text)?.[1];
  if (rule !== undefined) return { who: "rule", rule: Number(rule) };
  switch (text) {
    case "header":
    case "network_limit":
    case "test_phone":
    case "default":
    case "person":
      return { who: text };
    default:
      return assert.fail(`not a decider of momo: ${text}`);
  }
}
