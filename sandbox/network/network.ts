import { invalid, Refusal, shown } from "../../src/domain/error.ts";
import { receiptNumber } from "../../src/domain/identifiers.ts";
import { type Outcome, textOfCode } from "../../src/domain/outcome.ts";
import { NOT_TAKEN, type Provider } from "../../src/domain/provider.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import type { Rule } from "../control/shapes/steering.ts";
import { type Choice, createDefault, type Default, endingOf } from "./choice.ts";
import { NETWORK_LIMIT_CENTS } from "./limit.ts";
import { OUTCOMES, type OutcomeName } from "./outcomes.ts";
import { createRuleBook, type RuleBook } from "./rules.ts";
import { decide, readMemo, resultOf, type Script, writeMemo } from "./script.ts";

export interface NetworkOptions {
  /** The default at the start. */
  readonly fallback: Choice;
  /** The rules at the start. */
  readonly rules?: readonly Rule[];
  /** Runs work that uses up a rule on the state that all servers share; by default there is one server. */
  readonly steering?: { count<T>(work: () => T): T | Promise<T> };
  /** Gets what a listener of the rules throws. */
  readonly reportFault: (error: unknown) => void;
}

/** The simulated network: a provider, and its settings. */
export interface Network extends Provider {
  readonly rules: RuleBook;
  readonly default: Default;
}

/**
 * A mobile-money network in the same process. It keeps no prompt in memory: the outcome is decided at the push and stored in
 * the memo, so a restart changes nothing.
 */
export function createNetwork({
  fallback,
  rules: start = [],
  steering = { count: (work) => work() },
  reportFault,
}: NetworkOptions): Network {
  const rules = createRuleBook(start, reportFault);
  const byDefault = createDefault(fallback);
  return {
    rules,
    default: byDefault,

    async push(prompt) {
      const choose = () => decide(prompt, rules, byDefault.choice);
      const isCounted = prompt.instruction === null && rules.isCounted(prompt);
      const decided = isCounted ? steering.count(choose) : choose();
      const script = decided instanceof Promise ? await decided : decided;
      if (script.outcome === "refused") {
        const { message = "the network does not take the prompt" } = script;
        throw new Refusal("provider", `${NOT_TAKEN}: ${message}`);
      }
      return { memo: writeMemo(script), checkAtMs: script.atMs ?? prompt.expiresAtMs };
    },

    async check(pending, nowMs) {
      const script = readMemo(pending.memo);
      const { atMs } = script;
      if (atMs === null || atMs > nowMs) return { status: "pending", checkAtMs: atMs ?? pending.expiresAtMs };
      return announce(pending, script, atMs);
    },
  };
}

/**
 * The answer of the network for an outcome.
 * @throws Refusal `invalid` for an outcome in which the network sends nothing
 */
function announce(
  pending: PendingTransaction,
  { outcome, result }: Pick<Script, "outcome" | "result">,
  atMs: number,
): Outcome {
  const ending = endingOf({ outcome, result_code: result?.code });
  if (ending.by !== "network") {
    const names = OUTCOMES.filter((one) => one.ending.by === "network").map((one) => one.name);
    throw invalid(`${outcome} is not an answer to a prompt; the answers are ${names.join(", ")}`, [
      { path: "outcome", rule: `must be one of ${names.join(", ")}`, received: shown(outcome) },
    ]);
  }
  const { status, code } = ending;
  const resultDesc = result?.desc ?? textOfCode(code) ?? "";
  if (status !== "completed") return { status, resultCode: code, resultDesc, atMs };
  return { status, resultCode: 0, resultDesc, receiptNumber: receiptNumber(atMs, pending.id), atMs };
}

/**
 * The answer of a person, or of a script. It replaces what was decided before.
 * @throws Refusal `invalid` for an outcome that is not an answer
 */
export function answerByHand(pending: PendingTransaction, choice: Choice, atMs: number): Outcome {
  const script: Script = { outcome: choice.outcome, ...resultOf(choice), atMs, by: { who: "person" } };
  return { ...announce(pending, script, atMs), memo: writeMemo(script) };
}

const WRONG_PIN = "0000";

/** @param pin 4 to 6 digits */
export function outcomeOfPin(pin: string, pending: PendingTransaction): OutcomeName {
  if (pin === WRONG_PIN) return "wrong_pin";
  return pending.amountCents > NETWORK_LIMIT_CENTS ? "over_limit" : "completed";
}
