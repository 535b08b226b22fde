import type { PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import { type Checked, type Checks, retryLater } from "./checks.ts";

export interface BatchParts {
  readonly store: Pick<Store, "transactions" | "vitals">;
  readonly checks: Checks;
  readonly changes: Changes;
  readonly lateness: Lateness;
  readonly reportFault: (error: unknown) => void;
  /** Whether the server is stopping: then no further commit starts. */
  readonly isStopped: () => boolean;
}

/** How late checks were made: their number, and the sum. */
export interface Lateness {
  count: number;
  sumMs: number;
}

/** How many payments share one commit. Between commits the event loop serves requests, and a stop takes effect. */
const BATCH = 500;

/**
 * Checks `first` and the payments that are due by `untilMs` with the provider. Writes the results in one commit, each only if the
 * payment is still pending. Every payment ends by its deadline, whatever the provider says.
 * @returns whether there was anything to write
 */
export async function resolveBatch(
  parts: BatchParts,
  first: readonly PendingTransaction[],
  untilMs: number,
  nowMs: number,
): Promise<boolean> {
  let outcomes: readonly Checked[] = [];
  try {
    const changed = await parts.store.transactions.resolveDue(untilMs, BATCH, async (due) => {
      outcomes = await checkAll(parts, [...first, ...due], nowMs);
      return outcomes.map(({ result }) => result);
    });
    announce(parts, changed);
  } catch (error) {
    const { explain } = parts.store.vitals;
    if (outcomes.length === 0 || parts.isStopped() || explain(error) !== null) throw error;
    // One of them was refused. Write them one by one: the error names the payment.
    await recordOneByOne(parts, outcomes, nowMs);
  }
  return outcomes.length > 0;
}

async function checkAll(
  { checks, lateness }: BatchParts,
  due: readonly PendingTransaction[],
  nowMs: number,
): Promise<Checked[]> {
  lateness.count += due.length;
  for (const { checkAtMs } of due) lateness.sumMs += nowMs - checkAtMs;
  const outcomes = new Map<number, Checked>();
  for (const checked of await checks.run(due, nowMs)) outcomes.set(checked.pending.id, checked);
  for (const pending of due) {
    if (!outcomes.has(pending.id)) outcomes.set(pending.id, { pending, result: retryLater(pending, nowMs) });
  }
  return [...outcomes.values()];
}

/** If one result cannot be written (such as a receipt number that already exists), the others still are. */
async function recordOneByOne(parts: BatchParts, outcomes: readonly Checked[], nowMs: number): Promise<void> {
  const record = async (result: Transaction) => announce(parts, await parts.store.transactions.record([result]));
  for (const { pending, result } of outcomes) {
    if (parts.isStopped()) return;
    await record(result).catch((error: unknown) => {
      parts.reportFault(error);
      return record(retryLater(pending, nowMs));
    });
  }
}

function announce({ changes }: BatchParts, changed: readonly Transaction[]): void {
  for (const transaction of changed) if (transaction.status !== "pending") changes.announce(transaction);
}
