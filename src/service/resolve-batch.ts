import type { PendingTransaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import { type Checked, type Checks, retryLater } from "./checks.ts";

export interface BatchParts {
  readonly store: Pick<Store, "transactions">;
  readonly checks: Checks;
  readonly changes: Changes;
  readonly reportFault: (error: unknown) => void;
  /** Whether to begin no further commit. */
  readonly isStopped: () => boolean;
}

/**
 * Has payments that are due checked, and writes what came of it in one commit, each only where it is still pending. Each ends
 * by its deadline, whatever the provider says or does not say.
 * @returns whether there was anything to write
 */
export async function resolveBatch(
  parts: BatchParts,
  due: readonly PendingTransaction[],
  nowMs: number,
): Promise<boolean> {
  const answered = await parts.checks.ask(due, nowMs);
  const outcomes = new Map<number, Checked>();
  for (const checked of answered) outcomes.set(checked.pending.id, checked);
  for (const pending of due) {
    if (!outcomes.has(pending.id)) outcomes.set(pending.id, { pending, result: retryLater(pending, nowMs) });
  }
  await recordAll(parts, [...outcomes.values()], nowMs);
  return outcomes.size > 0;
}

/** Where one of them cannot be written (a receipt number that exists already), the others are all the same. */
async function recordAll(parts: BatchParts, outcomes: readonly Checked[], nowMs: number): Promise<void> {
  try {
    await record(parts, outcomes);
    return;
  } catch (error) {
    if (parts.isStopped()) throw error;
    // Which of them it was, and why, shows below.
  }
  for (const { pending, result } of outcomes) {
    if (parts.isStopped()) return;
    await record(parts, [{ pending, result }]).catch((error: unknown) => {
      parts.reportFault(error);
      return record(parts, [{ pending, result: retryLater(pending, nowMs) }]);
    });
  }
}

async function record({ store, changes }: BatchParts, outcomes: readonly Checked[]): Promise<void> {
  for (const changed of await store.transactions.record(outcomes.map(({ result }) => result))) {
    if (changed.status !== "pending") changes.announce(changed);
  }
}
