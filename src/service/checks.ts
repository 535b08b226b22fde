import type { Clock } from "../domain/clock.ts";
import type { Provider } from "../domain/provider.ts";
import { expire, resolve } from "../domain/state-machine.ts";
import type { PendingTransaction, Transaction } from "../domain/transaction.ts";

/** When to ask about a payment again whose check failed, or has not been answered yet. */
const RETRY_MS = 1000;

/** So many checks can be in flight. Beyond it, payments are asked about when there is room, and end by their deadline. */
export const MAX_CHECKS = 10_000;

/** A payment, and what a check made of it: its end, or a later time to ask again. */
export interface Checked {
  readonly pending: PendingTransaction;
  readonly result: Transaction;
}

export interface ChecksParts {
  readonly provider: Provider;
  readonly clock: Clock;
  /** Told of a provider that throws. */
  readonly reportFault: (error: unknown) => void;
  /** Called when an answer comes after its turn; the next {@link Checks.ask} returns it. */
  readonly onLateAnswer: () => void;
}

/** The checks in flight at the provider: at most one for each payment. */
export interface Checks {
  /**
   * Asks about these payments, but for those with a check in flight, and waits for no longer than this turn of the event loop:
   * an answer that never comes must hold up neither the other payments nor a deadline.
   * @returns the answers that have come, also late ones about others
   */
  ask(due: readonly PendingTransaction[], nowMs: number): Promise<Checked[]>;
  /** Drops the check of a payment that has ended, whatever its answer will be. */
  drop(id: number): void;
  dropAll(): void;
}

export function createChecks({ provider, clock, reportFault, onLateAnswer }: ChecksParts): Checks {
  /** Until the answer is returned, so that nobody asks again while it waits. */
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
      // A provider that fails, or says what cannot be, has said nothing yet.
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

/** Resolves with the work, or in a turn of its own after all that is known in this one. */
async function untilTurnEnds(work: Promise<unknown>, clock: Clock, nowMs: number): Promise<void> {
  const { promise: turn, resolve: endTurn } = Promise.withResolvers<void>();
  const cancelAlarm = clock.alarm(nowMs, endTurn);
  await Promise.race([work, turn]);
  cancelAlarm();
}

/** The payment where nothing is known of it yet: to be asked about again soon, or expired. */
export const retryLater = (pending: PendingTransaction, nowMs: number): Transaction =>
  postpone(pending, nowMs + RETRY_MS, nowMs);

/** Nothing is known yet: to be asked again, by the deadline at the latest; and there it ends. */
function postpone(pending: PendingTransaction, checkAtMs: number, nowMs: number): Transaction {
  if (nowMs >= pending.expiresAtMs) return expire(pending);
  // Later than now in any case: a provider that answers "now" must not keep the resolver from everything else.
  return { ...pending, checkAtMs: Math.min(Math.max(checkAtMs, nowMs + 1), pending.expiresAtMs) };
}
