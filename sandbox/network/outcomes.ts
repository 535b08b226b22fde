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

/** How the answer to a push begins whose prompt the network does not take. */
export const PUSH_FAILED = "STK push initiation failed";

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

/** What a result code means in plain words, and what a client should do. */
export const RESULT_ADVICE: Record<ResultCode, { readonly meaning: string; readonly advice: string }> = {
  0: {
    meaning: "The customer has paid.",
    advice: "Deliver, once: keep the receipt number, so that no payment is booked twice.",
  },
  1: {
    meaning: "The customer's balance is too low for the amount and its charges.",
    advice: "Say so, and offer to try again later or with another phone. Do not repeat it by yourself.",
  },
  3: {
    meaning: "The amount is above what the network carries in one transaction.",
    advice: "Do not repeat it: offer another way to pay, or smaller amounts.",
  },
  4: {
    meaning: "The customer would exceed what they may send in a day.",
    advice: "Do not repeat it today: offer another way to pay.",
  },
  8: {
    meaning: "The receiving account would hold more than it may.",
    advice: "Do not repeat it: the receiver must first move money out of the account.",
  },
  17: {
    meaning: "A rule of the network stopped it, most often the same amount to the same business again too soon.",
    advice: "Check whether the first payment succeeded; if not, wait some minutes before another prompt.",
  },
  26: {
    meaning: "The network is too busy to take the payment.",
    advice: "Wait half a minute, look at what became of it, and then send another prompt.",
  },
  1001: {
    meaning: "Another transaction or an open menu on the phone holds the customer's account.",
    advice: "Ask the customer to finish it, and try again after a minute or two.",
  },
  1019: {
    meaning: "The prompt's time was over before an outcome was known.",
    advice: "Offer to send another prompt. As far as momo knows, nothing was charged.",
  },
  1025: {
    meaning: "The network could not send the prompt to the phone.",
    advice: "Try once more after some seconds; if it fails again, offer another way to pay.",
  },
  1032: {
    meaning: "The customer dismissed the prompt.",
    advice: "It is a refusal: keep the order open, and send another prompt only when the customer asks for it.",
  },
  1037: {
    meaning: "The phone did not answer: it is off, out of reach, busy with another prompt, or its SIM is too old.",
    advice: "Ask the customer to look at the phone, and then try again.",
  },
  2001: {
    meaning: "The customer entered a wrong PIN.",
    advice: "Let the customer try again; several wrong PINs in a row lock it.",
  },
  2028: {
    meaning: "The business may not receive this sort of payment.",
    advice: "Do not repeat it: have the product and the account of the business checked.",
  },
  8006: {
    meaning: "The customer's PIN is locked after too many wrong ones.",
    advice: "Do not repeat it: the customer has to have the PIN unlocked by the network first.",
  },
  9999: {
    meaning: "The network could not send the prompt, and says no more.",
    advice: "Shorten the description, and try once more; then offer another way to pay.",
  },
};
