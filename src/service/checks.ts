import { atMost, type Clock } from "../domain/clock.ts";
import type { Provider } from "../domain/provider.ts";
import { expire, resolve } from "../domain/state-machine.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";

/** When to check a payment again if its check failed or is still in flight. */
const RETRY_MS = 1000;

/** How many checks can be in flight. Other payments wait until one returns, and expire at their deadline. */
const MAX_CHECKS = 10_000;

/** A payment and the result of its check: an outcome, or a later time to check again. */
export interface CheckedPayment {
  readonly pending: PendingTransaction;
  readonly result: Transaction;
}

export interface ChecksParts {
  readonly provider: Provider;
  readonly clock: Clock;
  /** Called when the provider throws. */
  readonly reportFault: (error: unknown) => void;
  /** Called when a check returns after {@link Checks.run} did. The next run returns its result. */
  readonly onLateAnswer: () => void;
}

export interface Checks {
  /**
   * Checks these payments, except those with a check in flight. It waits for one turn of the event loop only, so that a slow
   * provider delays no other payment and no deadline.
   * @returns all new results, also late ones of other payments
   */
  run(due: readonly PendingTransaction[], nowMs: number): Promise<CheckedPayment[]>;
  /** Ignores the result of the check of a payment that has ended. */
  readonly drop: (id: number) => undefined;
  dropAll(): void;
}

/** The checks in flight at the provider: at most one for each payment. */
export function createChecks({ provider, clock, reportFault, onLateAnswer }: ChecksParts): Checks {
  /** Payments whose result is not returned yet. They are not checked again before. */
  const inFlight = new Map<number, PendingTransaction>();
  let answered: CheckedPayment[] = [];
  let isRunning = false;

  async function check(pending: PendingTransaction, nowMs: number): Promise<void> {
    inFlight.set(pending.id, pending);
    const result = await resultOf(pending, nowMs);
    // It was dropped, and after a restore the payment may be checked again.
    if (inFlight.get(pending.id) !== pending) return;
    answered.push({ pending, result });
    if (!isRunning) onLateAnswer();
  }

  async function resultOf(pending: PendingTransaction, nowMs: number): Promise<Transaction> {
    try {
      const answer = await provider.check(pending, nowMs);
      return answer.status === "pending"
        ? postpone(pending, answer.checkAtMs, clock.nowMs())
        : resolve(pending, answer);
    } catch (error) {
      // An error or an impossible outcome counts as no answer.
      reportFault(error);
      return retryLater(pending, clock.nowMs());
    }
  }

  return {
    async run(due: readonly PendingTransaction[], nowMs: number): Promise<CheckedPayment[]> {
      isRunning = true;
      const checks: Promise<void>[] = [];
      for (const pending of due) {
        if (!inFlight.has(pending.id) && inFlight.size < MAX_CHECKS) checks.push(check(pending, nowMs));
      }
      // No longer than this turn of the event loop.
      if (checks.length > 0) await atMost(clock, 0, Promise.all(checks));
      isRunning = false;
      for (const { pending } of answered) inFlight.delete(pending.id);
      return answered.splice(0);
    },
    drop: (id: number) => void inFlight.delete(id),
    dropAll(): void {
      inFlight.clear();
      answered = [];
    },
  };
}

/** A payment without an answer: to be checked again soon, or expired. */
export const retryLater = (pending: PendingTransaction, nowMs: number): Transaction =>
  postpone(pending, nowMs + RETRY_MS, nowMs);

/** No outcome yet: check again, at the deadline at the latest. At the deadline the payment expires. */
function postpone(pending: PendingTransaction, checkAtMs: number, nowMs: number): Transaction {
  if (nowMs >= pending.expiresAtMs) return expire(pending);
  // Always later than now: a provider that returns "now" must not keep the resolver busy.
  return { ...pending, checkAtMs: Math.min(Math.max(checkAtMs, nowMs + 1), pending.expiresAtMs) };
}
