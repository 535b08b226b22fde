import { formatDuration } from "../../src/domain/duration.ts";
import type { ResultCode } from "../../src/domain/outcome.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import type { FinalStatus } from "../../src/domain/transaction.ts";

export type Ending =
  /** The network answers; `afterMs` null: when the prompt timeout is over. */
  | { readonly by: "network"; readonly status: FinalStatus; readonly code: number; readonly afterMs: number | null }
  /** The network never answers, so the deadline of the service ends it. */
  | { readonly by: "deadline" }
  /** A person or a script answers, or the deadline ends it. */
  | { readonly by: "hand" }
  /** The network does not accept the prompt. */
  | { readonly by: "refusal" };

/** After this time most outcomes are known. */
export const SHORTLY_MS = 3000;

function answered(status: FinalStatus, code: ResultCode, afterMs: number | null = SHORTLY_MS): Ending {
  return { by: "network", status, code, afterMs };
}

/** The table of outcomes, each with the test phone that always has it: the code, `momo outcomes` and the documents use it. */
export const OUTCOMES = [
  entry("completed", "254700000000", answered("completed", 0), "the customer pays"),
  entry("completed_late", "254700000030", answered("completed", 0, 30_000), "the customer pays, but takes long"),
  entry("insufficient_funds", "254700000001", answered("failed", 1), "the balance is too low"),
  entry("over_limit", "254700000003", answered("failed", 3), "more than one transaction may carry"),
  entry("rule_limited", "254700000017", answered("failed", 17), "the same payment again too soon"),
  entry("push_error", "254700000025", answered("failed", 1025), "the prompt could not be sent"),
  entry("unreachable", "254700000037", answered("failed", 1037, 15_000), "the phone is off or busy"),
  entry("wrong_pin", "254700000201", answered("failed", 2001), "the customer enters a wrong PIN"),
  entry("pin_locked", "254700000806", answered("failed", 8006), "the PIN is locked"),
  entry("cancelled", "254700000032", answered("cancelled", 1032), "the customer dismisses the prompt"),
  entry("expired", "254700000019", answered("expired", 1019, null), "the customer does not react to the prompt"),
  entry("silent", "254700000099", { by: "deadline" }, "the network never sends an outcome"),
  entry("refused", "254700000500", { by: "refusal" }, "the network does not take the prompt: HTTP 500"),
  entry("manual", "254700000100", { by: "hand" }, "you answer it: on the phone, or by command"),
];

export type OutcomeName = (typeof OUTCOMES)[number]["name"];

export const OUTCOME_NAMES = OUTCOMES.map(({ name }) => name) as [OutcomeName, ...OutcomeName[]];

function entry<const N extends string>(name: N, phone: string, ending: Ending, meaning: string) {
  return { name, phone: phone as Msisdn, meaning, ending };
}

/** The table in JSON. `after` is the default time until the outcome. */
export function outcomesView() {
  return OUTCOMES.map(({ ending, ...outcome }) => ({ ...outcome, ...endingView(ending) }));
}

function endingView(ending: Ending): { status: FinalStatus | null; code: number | null; after: string | null } {
  switch (ending.by) {
    case "network": {
      const after = ending.afterMs === null ? "prompt timeout" : formatDuration(ending.afterMs);
      return { status: ending.status, code: ending.code, after };
    }
    case "deadline":
      return { status: "expired", code: 1019, after: "never" };
    case "hand":
    case "refusal":
      return { status: null, code: null, after: null };
  }
}

/** The time until an outcome, as JSON shows it. Null if it has none. */
export const afterOf = (ending: Ending): string | null => endingView(ending).after;

export const ENDINGS = Object.fromEntries(OUTCOMES.map(({ name, ending }) => [name, ending])) as Record<
  OutcomeName,
  Ending
>;

/** The outcome of a test phone; null for every other number. */
export const outcomeOfPhone = (phone: Msisdn): OutcomeName | null =>
  OUTCOMES.find((one) => one.phone === phone)?.name ?? null;
