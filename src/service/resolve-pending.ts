import type { Clock } from "../domain/clock.ts";
import type { Provider } from "../domain/provider.ts";
import { expire, resolve } from "../domain/state-machine.ts";
import type { FinalTransaction, PendingTransaction, Transaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Changes } from "./changes.ts";

/** How many transactions share one commit. Between commits, requests have their turn. */
const BATCH = 500;

/** When to ask a provider again that failed to answer. */
const RETRY_MS = 1000;

export interface ResolvePendingParts {
  readonly store: Pick<Store, "transactions">;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly changes: Changes;
  /** Told of a provider that throws. */
  readonly reportFault: (error: unknown) => void;
  /** Given what a provider says after its round; to be written all the same, with {@link recordLate}. */
  readonly hearLate: (final: FinalTransaction) => void;
}

/**
 * Asks the provider about every pending transaction that is due now, in the order in which they fell due, and writes what it
 * says. Each ends by its deadline, whatever the provider says or does not say, and nobody waits for the answer about another.
 * @returns when the next check is due; null while nothing is pending
 */
export async function resolvePending(parts: ResolvePendingParts): Promise<number | null> {
  const { transactions } = parts.store;
  for (;;) {
    const nowMs = parts.clock.nowMs();
    const { due, changed } = await resolveBatch(parts, nowMs);
    for (const transaction of changed) if (transaction.status !== "pending") parts.changes.announce(transaction);
    if (due === 0) return transactions.nextCheckAtMs();
  }
}

/**
 * The transactions after the provider has been asked about them. What it does not know at once it has not said yet: an answer
 * that never comes must hold up neither the other payments nor a deadline.
 */
async function checkAll(
  parts: ResolvePendingParts,
  due: readonly PendingTransaction[],
  nowMs: number,
): Promise<Transaction[]> {
  const checked: Transaction[] = [];
  let isOver = false;
  const answers = due.map(async (pending, index) => {
    const answer = await check(parts, pending, nowMs);
    if (!isOver) checked[index] = answer;
    else if (answer.status !== "pending") parts.hearLate(answer);
  });
  const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
  // Rings in a turn of its own, after all that is known in this one.
  const cancelAlarm = parts.clock.alarm(nowMs, endTurn);
  await Promise.race([Promise.all(answers), turn]);
  cancelAlarm();
  isOver = true;
  return due.map((pending, index) => checked[index] ?? postpone(pending, nowMs + RETRY_MS, nowMs));
}

/** Writes an answer that came after its round, where nothing else has ended the transaction meanwhile. */
export async function recordLate(parts: Omit<ResolvePendingParts, "hearLate">, final: FinalTransaction): Promise<void> {
  try {
    for (const changed of await parts.store.transactions.record([final])) parts.changes.announce(changed);
  } catch (error) {
    // It is still pending, and the provider will be asked again.
    parts.reportFault(error);
  }
}

/** The transaction after the provider has been asked about it: final, or to be asked about later. */
async function check(parts: ResolvePendingParts, pending: PendingTransaction, nowMs: number): Promise<Transaction> {
  try {
    const answer = await parts.provider.check(pending, nowMs);
    return answer.status === "pending" ? postpone(pending, answer.checkAtMs, nowMs) : resolve(pending, answer);
  } catch (error) {
    // A provider that fails, or says what cannot be, has said nothing yet.
    parts.reportFault(error);
    return postpone(pending, nowMs + RETRY_MS, nowMs);
  }
}

/** Nothing is known yet: to be asked again, by the deadline at the latest; and there it ends. */
function postpone(pending: PendingTransaction, checkAtMs: number, nowMs: number): Transaction {
  if (nowMs >= pending.expiresAtMs) return expire(pending);
  // Later than now in any case: a provider that answers "now" must not keep the loop from everything else.
  return { ...pending, checkAtMs: Math.min(Math.max(checkAtMs, nowMs + 1), pending.expiresAtMs) };
}

/** Resolves what is due in one commit; where one cannot be written (a receipt number that exists already), the others all the same. */
async function resolveBatch(parts: ResolvePendingParts, nowMs: number) {
  const { transactions } = parts.store;
  let due: readonly PendingTransaction[] = [];
  let checked: readonly Transaction[] = [];
  try {
    return await transactions.resolveDue(nowMs, BATCH, async (pending) => {
      due = pending;
      checked = await checkAll(parts, pending, nowMs);
      return checked;
    });
  } catch (error) {
    if (due.length === 0) throw error;
    // Which of them it was, and why, shows below.
  }
  const changed: Transaction[] = [];
  for (const [index, pending] of due.entries()) {
    changed.push(
      ...(await transactions.record([checked[index] ?? pending]).catch((error: unknown) => {
        parts.reportFault(error);
        return transactions.record([postpone(pending, nowMs + RETRY_MS, nowMs)]);
      })),
    );
  }
  return { due: due.length, changed };
}
