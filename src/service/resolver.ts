import type { Clock } from "../domain/clock.ts";
import type { Provider } from "../domain/provider.ts";
import type { PendingTransaction } from "../domain/transaction.ts";
import type { Store } from "../store/store.ts";
import type { Changes } from "./changes.ts";
import { createChecks } from "./checks.ts";
import { resolveBatch } from "./resolve-batch.ts";

/** How many urgent payments are resolved together. */
const MOST_FIRST = 500;

/** How soon to try again after the store failed. */
const RETRY_MS = 1000;

/**
 * Resolves payments when they are due. The database is the schedule: this keeps one alarm, for the earliest check, and none
 * while nothing is pending.
 */
export interface Resolver {
  /** A check is due at `atMs`. */
  wakeAt(atMs: number): void;
  /** Whether something may be due and not resolved. Does not ask the database. */
  readonly isBehind: boolean;
  /** Whether the last write failed. The resolver tries again by itself. */
  readonly hasFailed: boolean;
  readonly isStopped: boolean;
  /** Resolves all that is due now, and sets the alarm for the next. Rejects if the store fails. */
  resolveDue(): Promise<void>;
  /** Resolves one payment, if it is due, before all others. Rejects if the store fails. */
  resolveFirst(checkoutRequestId: string): Promise<void>;
  /** Drops all checks: the transactions were removed. */
  forget(): void;
  /** Stops after the current commit. The next start resolves what is still due. */
  stop(): Promise<void>;
}

export interface ResolverParts {
  readonly store: Pick<Store, "transactions">;
  readonly provider: Provider;
  readonly clock: Clock;
  /** Real time, for retries: they must work while the sandbox clock is frozen. */
  readonly realClock: Clock;
  readonly changes: Changes;
  readonly reportFault: (error: unknown) => void;
}

interface Urgent extends PromiseWithResolvers<void> {
  readonly checkoutRequestId: string;
}

export function createResolver(parts: ResolverParts): Resolver {
  const { clock, realClock, changes, reportFault } = parts;
  const { transactions } = parts.store;
  const checks = createChecks({ ...parts, onLateAnswer: resolveUnasked });
  const batchParts = { ...parts, checks, isStopped: () => stopped };
  let stopped = false;
  let hasFailed = false;
  let alarmAtMs = Number.POSITIVE_INFINITY;
  let cancelAlarm = () => {};
  let cancelRetry = () => {};
  /** The last round, and how many have not ended. */
  let lastRound: Promise<void> = Promise.resolve();
  let openRounds = 0;
  let nextRound: Promise<void> | null = null;
  let reportedRound: Promise<void> | null = null;
  const urgent: Urgent[] = [];

  changes.subscribe(({ id, status }) => {
    if (status !== "pending") checks.drop(id);
  });

  function wakeAt(atMs: number): void {
    if (stopped || atMs >= alarmAtMs) return;
    cancelAlarm();
    alarmAtMs = atMs;
    cancelAlarm = clock.alarm(atMs, () => {
      alarmAtMs = Number.POSITIVE_INFINITY;
      resolveUnasked();
    });
  }

  /**
   * Rounds run one after another. Callers during a round share the next one, because this round may have read its payments
   * already.
   */
  function resolveDue(): Promise<void> {
    if (nextRound) return nextRound;
    openRounds += 1;
    const round = lastRound.then(async () => {
      nextRound = null;
      await runRound();
    });
    const end = () => {
      openRounds -= 1;
    };
    nextRound = round;
    lastRound = round.then(end, end);
    return round;
  }

  function resolveUnasked(): void {
    const round = resolveDue();
    if (round === reportedRound) return;
    reportedRound = round;
    void round.catch(reportFault);
  }

  /**
   * One round: all that is due when it begins. What becomes due meanwhile is for the next round, so that this one ends.
   */
  async function runRound(): Promise<void> {
    const startMs = clock.nowMs();
    // This round does what the alarm was for. The next check sets a new one.
    if (alarmAtMs <= startMs) {
      cancelAlarm();
      alarmAtMs = Number.POSITIVE_INFINITY;
    }
    cancelRetry();
    try {
      while (!stopped && (await resolveNext(startMs)));
      const nextAtMs = stopped ? null : await transactions.nextCheckAtMs();
      if (nextAtMs !== null) wakeAt(nextAtMs);
      hasFailed = false;
    } catch (error) {
      hasFailed = true;
      if (!stopped) cancelRetry = realClock.alarm(realClock.nowMs() + RETRY_MS, resolveUnasked);
      throw error;
    } finally {
      if (stopped) for (const { resolve } of urgent.splice(0)) resolve();
    }
  }

  /** @returns whether there may be more to resolve */
  async function resolveNext(untilMs: number): Promise<boolean> {
    const first = urgent.splice(0, MOST_FIRST);
    try {
      const nowMs = clock.nowMs();
      const asked = await Promise.all(first.map(({ checkoutRequestId }) => findDue(checkoutRequestId, nowMs)));
      // A reset may have set the clock back meanwhile.
      const found = asked.filter((one) => one !== null);
      const hadWork = await resolveBatch(batchParts, found, Math.min(untilMs, nowMs), nowMs);
      for (const { resolve } of first) resolve();
      return hadWork || urgent.length > 0;
    } catch (error) {
      for (const { reject } of first) reject(error);
      throw error;
    }
  }

  /** The caller may have read the payment before the last commit. */
  async function findDue(checkoutRequestId: string, nowMs: number): Promise<PendingTransaction | null> {
    const found = await transactions.findByCheckoutRequestId(checkoutRequestId);
    return found?.status === "pending" && found.checkAtMs <= nowMs ? found : null;
  }

  return {
    wakeAt,
    get isBehind() {
      return openRounds > 0 || hasFailed || alarmAtMs <= clock.nowMs();
    },
    get hasFailed() {
      return hasFailed;
    },
    get isStopped() {
      return stopped;
    },
    resolveDue,
    resolveFirst(checkoutRequestId) {
      const one = { checkoutRequestId, ...Promise.withResolvers<void>() };
      urgent.push(one);
      resolveUnasked();
      return one.promise;
    },
    forget: checks.dropAll,
    async stop() {
      stopped = true;
      cancelAlarm();
      cancelRetry();
      await lastRound;
    },
  };
}
