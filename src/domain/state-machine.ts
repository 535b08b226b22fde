import { assert } from "./assert.ts";
import { transactionCode } from "./identifiers.ts";
import { type Outcome, RESULT_CODES } from "./outcome.ts";
import type { FinalTransaction, PendingTransaction, TransactionFacts } from "./transaction.ts";

/**
 * The transitions of §3, and the only place that changes a status. The database repeats the rule: it refuses to change a final
 * row.
 */

/**
 * (none) → pending: the provider accepted the prompt.
 * @param checkAtMs when to check first; at the deadline at the latest, so that every pending transaction ends
 */
export function open(facts: TransactionFacts, memo: string, checkAtMs: number): PendingTransaction {
  assert(facts.expiresAtMs > facts.createdAtMs, "the deadline of a prompt is after its start");
  return { ...facts, status: "pending", memo, checkAtMs: Math.min(checkAtMs, facts.expiresAtMs) };
}

/** The result after the deadline, with the network's code and text. */
const DEADLINE_PASSED = { status: "expired", resultCode: 1019, resultDesc: RESULT_CODES[1019].text } as const;

/** pending → expired, by the service's own deadline. */
export function expire(pending: PendingTransaction): FinalTransaction {
  const { checkAtMs: _, ...facts } = pending;
  return { ...facts, ...DEADLINE_PASSED };
}

/**
 * pending → completed, failed, cancelled or expired. An outcome counts only if it happened before the service's own
 * deadline.
 * @returns the final transaction, to be written only if the stored one is still pending
 */
export function resolve(pending: PendingTransaction, outcome: Outcome): FinalTransaction {
  assert(pending.status === "pending", "only a pending payment ends");
  if (outcome.atMs >= pending.expiresAtMs) return expire(pending);
  const { checkAtMs: _, ...facts } = pending;
  const memo = outcome.memo ?? pending.memo;
  switch (outcome.status) {
    case "completed":
      assert(outcome.resultCode === 0, "0 is the code of a payment");
      return {
        ...facts,
        status: "completed",
        transactionCode: transactionCode(pending.id),
        receiptNumber: outcome.receiptNumber,
        resultCode: 0,
        resultDesc: outcome.resultDesc,
        completedAtMs: outcome.atMs,
        memo,
      };
    case "failed":
    case "cancelled":
    case "expired":
      assert(outcome.resultCode !== 0, "0 is the code of a payment");
      return { ...facts, status: outcome.status, resultCode: outcome.resultCode, resultDesc: outcome.resultDesc, memo };
  }
}
