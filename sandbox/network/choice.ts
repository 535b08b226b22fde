import { parseDuration } from "../../src/domain/duration.ts";
import { brokenRule, invalidAt } from "../../src/domain/error.ts";
import { isLine, MAX_LINE_LENGTH } from "../../src/domain/line.ts";
import { textOfCode } from "../../src/domain/outcome.ts";
import { ENDINGS, type Ending, OUTCOME_NAMES, SHORTLY_MS } from "./outcomes.ts";

/** What can be chosen: the outcomes of the table, and `failed` with any result code. */
export const CHOSEN_NAMES = [...OUTCOME_NAMES, "failed"] as const;
export type ChosenName = (typeof CHOSEN_NAMES)[number];

/** What a prompt does, as JSON has it in a rule, in the default and in an answer. */
export interface Choice {
  readonly outcome: ChosenName;
  /** A duration; absent for the outcome's own time. */
  readonly after?: string | undefined;
  /** Instead of the outcome's own code and text. */
  readonly result_code?: number | undefined;
  readonly result_desc?: string | undefined;
  /** Of the refusal; only `refused` has one. */
  readonly message?: string | undefined;
}

export const MAX_RESULT_CODE = 999_999;

/** How a choice ends. */
export function endingOf({ outcome, result_code = 0 }: Pick<Choice, "outcome" | "result_code">): Ending {
  if (outcome === "failed") return { by: "network", status: "failed", code: result_code, afterMs: SHORTLY_MS };
  const ending = ENDINGS[outcome];
  return ending.by === "network" && result_code > 0 ? { ...ending, code: result_code } : ending;
}

/** Whether an outcome can have a code and a text of its own. */
export const canHaveResult = (outcome: ChosenName): boolean =>
  outcome === "failed" || outcome === "cancelled" || outcome === "expired";

/** The first member of a choice that does not fit the others, and what is wrong with it. Null if all fit. */
export function problemOf(choice: Choice): readonly [member: keyof Choice, problem: string] | null {
  const { outcome, after, result_code, result_desc, message } = choice;
  const ending = endingOf(choice);
  if (after !== undefined) {
    const problem = ruleBrokenBy(() => parseDuration(after));
    if (problem !== null) return ["after", problem];
    if (ending.by !== "network") return ["after", `has no meaning with ${outcome}: leave it out`];
  }
  if (!canHaveResult(outcome) && result_code !== undefined) return ["result_code", HAS_RESULT];
  if (!canHaveResult(outcome) && result_desc !== undefined) return ["result_desc", HAS_RESULT];
  if (outcome === "failed" && result_code === undefined) {
    return ["result_code", "must be given with failed, such as 26; or choose an outcome that has its own code"];
  }
  if (result_code !== undefined && result_desc === undefined && textOfCode(result_code) === undefined) {
    return ["result_desc", `must be given, because momo knows no text of the code ${result_code}`];
  }
  if (message !== undefined && outcome !== "refused") return ["message", "is only for refused: leave it out"];
  return null;
}

const HAS_RESULT = "is only for failed, cancelled and expired: leave it out";

function ruleBrokenBy(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return brokenRule(error);
  }
}

/** The parameters of a choice in one line, and the members that they stand for. */
const PARAMETERS = { after: "after", code: "result_code", desc: "result_desc", message: "message" } as const;

/**
 * A choice in a request header or a flag: `NAME`, `NAME; after=DURATION` or `failed; code=26`.
 * @param what the name of the input in the refusal
 * @throws Refusal `invalid`
 */
export function parseChoice(text: string, what: string): Choice {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim());
  const outcome = parseChosenName(name, what);
  const members: Record<string, string> = {};
  for (const parameter of parameters) {
    const [, key = "", value = ""] = /^(after|code|desc|message)\s*=\s*(.+)$/.exec(parameter) ?? [];
    const member = PARAMETERS[key as keyof typeof PARAMETERS];
    if (member === undefined || members[member] !== undefined) {
      throw invalidAt(what, "must be NAME, NAME; after=DURATION or failed; code=NUMBER, such as completed; after=10s");
    }
    if (!isLine(value)) {
      throw invalidAt(`${key} in ${what}`, `must be at most ${MAX_LINE_LENGTH} characters, without control characters`);
    }
    members[member] = value;
  }
  const { result_code: code, ...texts } = members;
  const choice: Choice = { outcome, ...texts, ...(code !== undefined && { result_code: parseCode(code, what) }) };
  const keyOf = (member: keyof Choice) => Object.entries(PARAMETERS).find(([, one]) => one === member)?.[0] ?? member;
  return expectFit(choice, (member) => `${keyOf(member)} in ${what}`);
}

/**
 * @param nameOf the name of a member in the refusal
 * @throws Refusal `invalid` for members that do not fit each other
 */
export function expectFit(choice: Choice, nameOf: (member: keyof Choice) => string): Choice {
  const [member, problem = ""] = problemOf(choice) ?? [];
  if (member === undefined) return choice;
  throw invalidAt(nameOf(member), problem);
}

/**
 * @param what the name of the input in the refusal, such as `--outcome`
 * @throws Refusal `invalid` that lists the names
 */
export function parseChosenName(text: string, what: string): ChosenName {
  const name = CHOSEN_NAMES.find((one) => one === text);
  if (!name) throw invalidAt(what, `is not the name of an outcome; the names are ${CHOSEN_NAMES.join(", ")}`);
  return name;
}

function parseCode(text: string, what: string): number {
  const code = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (code === 0) throw invalidAt(`code in ${what}`, `must be a whole number from 1 to ${MAX_RESULT_CODE}`);
  return code;
}

export interface Default {
  readonly choice: Choice;
  readonly save: () => Choice;
  load(next: Choice): void;
  /** As the server was started. */
  reset(): void;
}

/** The default: what prompts do if nothing else decides. It is kept in memory; decisions are stored with the transactions. */
export function createDefault(start: Choice): Default {
  let choice = start;
  return {
    get choice() {
      return choice;
    },
    save: () => choice,
    load(next: Choice): void {
      choice = next;
    },
    reset(): void {
      choice = start;
    },
  };
}
