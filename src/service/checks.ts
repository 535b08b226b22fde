import type { Clock } from "../domain/clock.ts";
import type { Provider } from "../domain/provider.ts";
import { expire, resolve } from "../domain/state-machine.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";

/** When to ask again about a payment if its check failed or is still in flight. */
const RETRY_MS = 1000;

/** How many checks can be in flight. Further payments wait for room, and end at their deadline. */
export const MAX_CHECKS = 10_000;

/** A payment and the result of its check: the end, or a later time to ask again. */
export interface Checked {
  readonly pending: PendingTransaction;
  readonly result: Transaction;
}

export interface ChecksParts {
  readonly provider: Provider;
  readonly clock: Clock;
  /** Told of a provider that throws. */
  readonly reportFault: (error: unknown) => void;
  /** Called when an answer comes after the turn that asked. The next {@link Checks.ask} returns it. */
  readonly onLateAnswer: () => void;
}

/** The checks in flight at the provider: at most one for each payment. */
export interface Checks {
  /**
   * Asks about these payments, except those with a check in flight. It waits for one turn of the event loop only, so that a
   * slow provider delays no other payment and no deadline.
   * @returns the answers that have come, also late ones about others
   */
  ask(due: readonly PendingTransaction[], nowMs: number): Promise<Checked[]>;
  /** Drops the check of a payment that has ended, whatever its answer will be. */
  drop(id: number): void;
  dropAll(): void;
}

export function createChecks({ provider, clock, reportFault, onLateAnswer }: ChecksParts): Checks {
  /** Payments whose answer has not been returned yet. Nobody asks about them again meanwhile. */
  const inFlight = new Set<number>();
  let answered: Checked[] = [];
  let isAsking = false;

  async function check(pending: PendingTransaction, nowMs: number): Promise<void> {
    inFlight.add(pending.id);
    const result = await resultOf(pending, nowMs);
    if (!inFlight.has(pending.id)) return; // dropped
    answered.push({ pending, result });
    if (!isAsking) onLateAnswer();
  }

  async function resultOf(pending: PendingTransaction, nowMs: number): Promise<Transaction> {
    try {
      const answer = await provider.check(pending, nowMs);
      return answer.status === "pending"
        ? postpone(pending, answer.checkAtMs, clock.nowMs())
        : resolve(pending, answer);
    } catch (error) {
      // An error or an impossible answer of the provider counts as no answer.
      reportFault(error);
      return retryLater(pending, clock.nowMs());
    }
  }

  return {
    async ask(due, nowMs) {
      isAsking = true;
      const checks: Promise<void>[] = [];
      for (const pending of due) {
        if (!inFlight.has(pending.id) && inFlight.size < MAX_CHECKS) checks.push(check(pending, nowMs));
      }
      if (checks.length > 0) await untilTurnEnds(Promise.all(checks), clock, nowMs);
      isAsking = false;
      for (const { pending } of answered) inFlight.delete(pending.id);
      return answered.splice(0);
    },
    drop: (id) => void inFlight.delete(id),
    dropAll() {
      inFlight.clear();
      answered = [];
    },
  };
}

/** Resolves with the result, or after this turn of the event loop if the work takes longer. */
async function untilTurnEnds(work: Promise<unknown>, clock: Clock, nowMs: number): Promise<void> {
  const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
  const cancelAlarm = clock.alarm(nowMs, endTurn);
  await Promise.race([work, turn]);
  cancelAlarm();
}

/** The payment without an answer: to be asked about soon, or expired. */
export const retryLater = (pending: PendingTransaction, nowMs: number): Transaction =>
  postpone(pending, nowMs + RETRY_MS, nowMs);

/** No answer yet: ask again, at the deadline at the latest. At the deadline the payment expires. */
function postpone(pending: PendingTransaction, checkAtMs: number, nowMs: number): Transaction {
  if (nowMs >= pending.expiresAtMs) return expire(pending);
  // Always later than now: a provider that answers "now" must not keep the resolver busy.
  return { ...pending, checkAtMs: Math.min(Math.max(checkAtMs, nowMs + 1), pending.expiresAtMs) };
}
