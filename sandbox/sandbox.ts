import { Refusal } from "../src/domain/error.ts";
import type { Outcome } from "../src/domain/outcome.ts";
import type { NotYet, Provider } from "../src/domain/provider.ts";
import type { Random } from "../src/domain/random.ts";
import type { PendingTransaction } from "../src/domain/transaction.ts";
import { checkoutRequestId, merchantRequestId, receiptNumber } from "./identifiers.ts";
import { endingOf } from "./outcomes.ts";
import { RESULT_CODES } from "./result-codes.ts";
import { type Choice, decide, readMemo, writeMemo } from "./script.ts";

export interface SandboxOptions {
  readonly random: Random;
  /** What prompts do where nothing else decides. */
  readonly fallback: Choice;
}

/**
 * A mobile-money network in the same process. It keeps nothing in memory: what a prompt will do is decided when it is pushed
 * and stands in its memo, so that a restart changes nothing.
 */
export function createSandbox({ random, fallback }: SandboxOptions): Provider {
  return {
    async push(prompt) {
      const script = decide(prompt, fallback);
      if (endingOf(script.outcome).by === "refusal") {
        throw new Refusal("provider", "STK push initiation failed: the network does not take the prompt");
      }
      return {
        checkoutRequestId: checkoutRequestId(prompt.pushedAtMs, random),
        merchantRequestId: merchantRequestId(prompt.pushedAtMs, random),
        memo: writeMemo(script),
        checkAtMs: script.atMs ?? prompt.expiresAtMs,
      };
    },

    async check(pending, nowMs) {
      const script = readMemo(pending.memo);
      if (script.atMs === null || script.atMs > nowMs) {
        return { status: "pending", checkAtMs: script.atMs ?? pending.expiresAtMs };
      }
      return announce(pending, script.outcome, script.atMs);
    },
  };
}

/** What the network says of a prompt that went so. */
function announce(pending: PendingTransaction, name: Parameters<typeof endingOf>[0], atMs: number): Outcome | NotYet {
  const ending = endingOf(name);
  if (ending.by !== "network") return { status: "pending", checkAtMs: pending.expiresAtMs };
  const resultDesc = RESULT_CODES[ending.code];
  if (ending.status !== "completed") return { status: ending.status, resultCode: ending.code, resultDesc, atMs };
  return { status: "completed", resultCode: 0, resultDesc, receiptNumber: receiptNumber(atMs, pending.id), atMs };
}
