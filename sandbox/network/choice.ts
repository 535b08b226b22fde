import { parseDuration } from "../../src/domain/duration.ts";
import { invalid } from "../../src/domain/error.ts";
import { endingOf, type OutcomeName, parseOutcomeName } from "./outcomes.ts";

/** An outcome, and the time until it; null for the default time. */
export interface Choice {
  readonly outcome: OutcomeName;
  readonly afterMs: number | null;
}

/**
 * A choice in a request header or a flag: `NAME` or `NAME; after=DURATION`.
 * @param what the name of the input in the refusal
 * @throws Refusal `invalid`
 */
export function parseChoice(text: string, what: string): Choice {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim());
  const outcome = parseOutcomeName(name, what);
  if (parameters.length === 0) return { outcome, afterMs: null };
  const after = /^after\s*=\s*(\S+)$/.exec(parameters[0] ?? "")?.[1];
  if (after === undefined || parameters.length > 1) {
    throw invalid(`${what} must be NAME or NAME; after=DURATION, such as completed; after=10s`);
  }
  return chooseAfter(outcome, after, `after in ${what}`);
}

/**
 * @param after a DURATION
 * @throws Refusal `invalid` also for an outcome that the network never announces
 */
export function chooseAfter(outcome: OutcomeName, after: string, what: string): Choice {
  const afterMs = parseDuration(after, what);
  if (endingOf(outcome).by !== "network") throw invalid(`${what} has no meaning with ${outcome}: leave it out`);
  return { outcome, afterMs };
}

export type Default = ReturnType<typeof createDefault>;

/** The default: what prompts do if nothing else decides. It is kept in memory; decisions are stored with the transactions. */
export function createDefault(start: Choice) {
  let choice = start;
  return {
    get choice() {
      return choice;
    },
    save: () => choice,
    load(next: Choice): void {
      choice = next;
    },
    /** As the server was started. */
    reset(): void {
      choice = start;
    },
  };
}
