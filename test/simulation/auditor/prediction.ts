import type { PushedPrompt } from "../events.ts";

/** What a prompt does according to the documentation: the table of outcomes, the rules, and what decides. */

interface Entry {
  readonly status?: "completed" | "failed" | "cancelled" | "expired";
  readonly code?: number;
  readonly phone: string;
  /** Null: the prompt timeout. */
  readonly afterMs?: number | null;
}

export const OUTCOMES: Readonly<Record<string, Entry>> = {
  completed: { status: "completed", code: 0, phone: "254700000000", afterMs: 3000 },
  completed_late: { status: "completed", code: 0, phone: "254700000030", afterMs: 30_000 },
  insufficient_funds: { status: "failed", code: 1, phone: "254700000001", afterMs: 3000 },
  over_limit: { status: "failed", code: 3, phone: "254700000003", afterMs: 3000 },
  rule_limited: { status: "failed", code: 17, phone: "254700000017", afterMs: 3000 },
  push_error: { status: "failed", code: 1025, phone: "254700000025", afterMs: 3000 },
  unreachable: { status: "failed", code: 1037, phone: "254700000037", afterMs: 15_000 },
  wrong_pin: { status: "failed", code: 2001, phone: "254700000201", afterMs: 3000 },
  pin_locked: { status: "failed", code: 8006, phone: "254700000806", afterMs: 3000 },
  cancelled: { status: "cancelled", code: 1032, phone: "254700000032", afterMs: 3000 },
  expired: { status: "expired", code: 1019, phone: "254700000019", afterMs: null },
  silent: { phone: "254700000099" },
  refused: { phone: "254700000500" },
  manual: { phone: "254700000100" },
};

const TEXTS: Readonly<Record<number, string>> = {
  0: "The service request is processed successfully.",
  1: "The balance is insufficient for the transaction.",
  3: "Declined due to limit rule: greater than the maximum transaction amount.",
  17: "Rule limited.",
  1019: "Transaction has expired.",
  1025: "An error occurred while sending a push request.",
  1032: "Request cancelled by user.",
  1037: "DS timeout user cannot be reached.",
  2001: "The initiator information is invalid.",
  8006: "The security credential is locked.",
};

/** The network declines more than KES 250,000. */
const LIMIT_CENTS = 25_000_000;

/** How a prompt ends, and when; `never` if the network reports nothing. */
export type Prediction =
  | { readonly status: string; readonly code: number; readonly desc: string; readonly atMs: number }
  | "never"
  | "refused"
  | "invalid";

export interface PredictedRule {
  readonly match: { phone?: string; amount?: number; payment_account_id?: number; reference?: string };
  readonly outcome: string;
  readonly after?: string;
  times?: number;
}

/** What prompts do if nothing else decides. */
export interface PredictedDefault {
  readonly outcome: string;
  readonly after?: string;
}

const isOutcome = (name: unknown): name is string => typeof name === "string" && Object.hasOwn(OUTCOMES, name);

/** What the network reports with this outcome; null if it reports nothing. */
export function announcement(name: string): { status: string; code: number; desc: string } | null {
  const { status, code } = OUTCOMES[name] ?? {};
  return status === undefined || code === undefined ? null : { status, code, desc: TEXTS[code] ?? "" };
}

/** The outcome that a PIN means for a payment. */
export function outcomeOfPin(pin: string, amountCents: number): string {
  if (pin === "0000") return "wrong_pin";
  return amountCents > LIMIT_CENTS ? "over_limit" : "completed";
}

/** A DURATION in milliseconds; null if it is not one. */
export function durationMs(text: unknown): number | null {
  const match = /^([0-9]{1,8})(ms|s|m|h)$/.exec(String(text));
  const ms = Number(match?.[1]) * ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? ""] ?? Number.NaN);
  return ms <= 86_400_000 ? ms : null;
}

/** The choice that a header or a test payment names; null if it is not one. */
function readChoice(text: string): { outcome: string; after?: string } | null {
  const match = /^\s*([a-z_]+)\s*(?:;\s*after\s*=\s*([0-9a-z]+)\s*)?$/.exec(text);
  const outcome = match?.[1] ?? "";
  if (!isOutcome(outcome)) return null;
  const after = match?.[2];
  if (after === undefined) return { outcome };
  return durationMs(after) === null || announcement(outcome) === null ? null : { outcome, after };
}

/** How long an outcome takes without `after`, in the words of the table. */
export function afterOf(outcome: string): string | null {
  const { afterMs } = OUTCOMES[outcome] ?? {};
  if (announcement(outcome) === null) return outcome === "silent" ? "never" : null;
  return afterMs == null ? "prompt timeout" : `${afterMs / 1000}s`;
}

/** Predicts a prompt, and counts down the rule that decided. */
export function predict(prompt: PushedPrompt, rules: PredictedRule[], byDefault: PredictedDefault): Prediction {
  const choice = choose(prompt, rules, byDefault);
  if (choice === null) return "invalid";
  if (choice.outcome === "refused") return "refused";
  const announced = announcement(choice.outcome);
  if (announced === null) return "never";
  const afterMs = choice.after === undefined ? OUTCOMES[choice.outcome]?.afterMs : durationMs(choice.after);
  return { ...announced, atMs: afterMs == null ? prompt.expiresAtMs : prompt.pushedAtMs + afterMs };
}

function choose(prompt: PushedPrompt, rules: PredictedRule[], byDefault: PredictedDefault): PredictedDefault | null {
  if (prompt.instruction !== null) return readChoice(prompt.instruction);
  const rule = rules.find(
    ({ match }) =>
      (match.phone === undefined || `254${match.phone.slice(-9)}` === prompt.phone) &&
      (match.amount === undefined || Math.round(match.amount * 100) === prompt.amountCents) &&
      (match.payment_account_id === undefined || match.payment_account_id === prompt.paymentAccountId) &&
      (match.reference === undefined || match.reference === prompt.reference),
  );
  if (rule) {
    if (rule.times !== undefined) rule.times -= 1;
    if (rule.times === 0) rules.splice(rules.indexOf(rule), 1);
    return rule;
  }
  if (prompt.amountCents > LIMIT_CENTS) return { outcome: "over_limit" };
  const byPhone = Object.entries(OUTCOMES).find(([, { phone }]) => phone === prompt.phone);
  return byPhone ? { outcome: byPhone[0] } : byDefault;
}
