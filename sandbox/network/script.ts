import { assert } from "../../src/domain/assert.ts";
import { MAX_DURATION_MS, parseDuration } from "../../src/domain/duration.ts";
import { readNaming } from "../../src/domain/error.ts";
import { isLine } from "../../src/domain/line.ts";
import { textOfCode } from "../../src/domain/outcome.ts";
import type { Prompt } from "../../src/domain/provider.ts";
import {
  type Choice,
  type ChosenName,
  canHaveResult,
  endingOf,
  MAX_RESULT_CODE,
  parseChoice,
  parseChosenName,
} from "./choice.ts";
import { LAST_INSTANT_MS } from "./clock.ts";
import { NETWORK_LIMIT_CENTS } from "./limit.ts";
import { outcomeOfPhone } from "./outcomes.ts";
import type { RuleBook } from "./rules.ts";

/** What a prompt will do. It is decided once, at the push, and stored in the memo of the transaction. */
export interface Script {
  readonly outcome: ChosenName;
  /** The code and the text, where they are not the outcome's own. */
  readonly result?: { readonly code: number; readonly desc: string };
  /** Why the network refuses; only with `refused`, which is never stored. */
  readonly message?: string | undefined;
  /** When the network answers; null if it does not. */
  readonly atMs: number | null;
  readonly by: Decider;
}

/** Who decides besides the rules, in words. */
export const DECIDERS = {
  header: "The request itself (X-Sandbox-Outcome)",
  network_limit: "The network's own limit of KES 250,000",
  test_phone: "The test phone",
  default: "The default of the server",
  person: "A person or a script in place of one",
};

/** Who decided the outcome, or `person` for an answer by hand. {@link decide} has the order. */
export type Decider =
  | { readonly who: keyof typeof DECIDERS }
  /** `rule`: its id. */
  | { readonly who: "rule"; readonly rule: number };

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
    return schedule({ outcome: "over_limit" }, prompt, { who: "network_limit" });
  }
  const ofPhone = outcomeOfPhone(prompt.phone);
  if (ofPhone) return schedule({ outcome: ofPhone }, prompt, { who: "test_phone" });
  return schedule(fallback, prompt, { who: "default" });
}

/** Turns "after 3 s" into an instant. */
function schedule(choice: Choice, { pushedAtMs, expiresAtMs }: Prompt, by: Decider): Script {
  const { outcome, after } = choice;
  const ending = endingOf(choice);
  if (ending.by !== "network") return { outcome, message: choice.message, atMs: null, by };
  const delayMs = after === undefined ? ending.afterMs : parseDuration(after, "after");
  const own = resultOf(choice);
  // At the deadline the service's own result counts, so a code of one's own comes a moment before.
  const lastMs = own.result ? expiresAtMs - 1 : expiresAtMs;
  return { outcome, ...own, atMs: delayMs === null ? lastMs : pushedAtMs + delayMs, by };
}

/** The code and the text that a choice has of its own. */
export function resultOf(choice: Choice): Pick<Script, "result"> {
  const { result_code, result_desc } = choice;
  const ending = endingOf(choice);
  if ((result_code === undefined && result_desc === undefined) || ending.by !== "network") return {};
  return { result: { code: ending.code, desc: result_desc ?? textOfCode(ending.code) ?? "" } };
}

/** A script as the memo of its transaction: `completed 1790000000000 rule:2`, or `failed 1790000000000 rule:2 26 System busy`. */
export function writeMemo({ outcome, atMs, by, result }: Script): string {
  const own = result ? ` ${result.code} ${result.desc}` : "";
  return `${outcome} ${atMs ?? "-"} ${by.who === "rule" ? `rule:${by.rule}` : by.who}${own}`;
}

/** The script that {@link writeMemo} wrote. */
export function readMemo(memo: string): Script {
  const [name = "", at = "", by = "", code, ...desc] = memo.split(" ");
  const atMs = at === "-" ? null : Number(at);
  assert(atMs === null || Number.isSafeInteger(atMs), `not a memo of momo: ${memo}`);
  const result = code === undefined ? {} : { result: { code: Number(code), desc: desc.join(" ") } };
  return { outcome: parseChosenName(name, "the memo"), ...result, atMs, by: readDecider(by) };
}

/** Whether it is a memo that the network can read: for imported copies. */
export function isMemo(memo: string): boolean {
  try {
    const { outcome, atMs, result } = readMemo(memo);
    if (atMs === null) return result === undefined && outcome !== "failed";
    if (result ? !canHaveResult(outcome) || !isCode(result.code) || !isLine(result.desc) : outcome === "failed")
      return false;
    return endingOf({ outcome }).by === "network" && atMs >= 0 && atMs <= LAST_INSTANT_MS + MAX_DURATION_MS;
  } catch {
    return false;
  }
}

const isCode = (code: number): boolean => Number.isInteger(code) && code >= 1 && code <= MAX_RESULT_CODE;

function readDecider(text: string): Decider {
  const rule = /^rule:([1-9][0-9]{0,14})$/.exec(text)?.[1];
  if (rule !== undefined) return { who: "rule", rule: Number(rule) };
  assert(Object.hasOwn(DECIDERS, text), `not a decider of momo: ${text}`);
  return { who: text as keyof typeof DECIDERS };
}
