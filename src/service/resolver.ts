import type { Clock } from "../domain/clock.ts";
import type { FinalTransaction } from "../domain/transaction.ts";
import { type ResolvePendingParts, recordLate, resolvePending } from "./resolve-pending.ts";

/** When to try again where the store itself failed. */
const RETRY_MS = 1000;

/**
 * Calls {@link resolvePending} when something is due. The database is the schedule: this keeps one alarm, for the earliest
 * check, and none while nothing is pending.
 */
export interface Resolver {
  /** A check is due at `atMs`. */
  wakeAt(atMs: number): void;
  /**
   * Resolves all that is due now, and then watches for the next. Rejects where the store fails; what is left is tried again
   * without being asked.
   */
  settle(): Promise<void>;
  /** Stops watching, after the commit that is under way. */
  stop(): Promise<void>;
}

export interface ResolverParts extends Omit<ResolvePendingParts, "hearLate"> {
  /** The time that passes outside, for trying again: a clock that somebody stopped must not stop that. */
  readonly realClock: Clock;
}

export function createResolver(parts: ResolverParts): Resolver {
  const { clock, realClock, reportFault } = parts;
  let stopped = false;
  let alarmAtMs = Number.POSITIVE_INFINITY;
  let cancelAlarm = () => {};
  let cancelRetry = () => {};
  let round: Promise<void> = Promise.resolve();

  function wakeAt(atMs: number): void {
    if (stopped || atMs >= alarmAtMs) return;
    cancelAlarm();
    alarmAtMs = atMs;
    cancelAlarm = clock.alarm(atMs, () => {
      alarmAtMs = Number.POSITIVE_INFINITY;
      settleUnasked();
    });
  }

  /** Rounds follow one another: a second one would check the same transactions. */
  function settle(): Promise<void> {
    const settled = round.then(resolveOnce);
    round = settled.catch(() => {});
    return settled;
  }

  function settleUnasked(): void {
    void settle().catch(reportFault);
  }

  async function resolveOnce(): Promise<void> {
    if (stopped) return;
    // What the alarm was for is done now, and whatever comes next sets its own.
    if (alarmAtMs <= clock.nowMs()) {
      cancelAlarm();
      alarmAtMs = Number.POSITIVE_INFINITY;
    }
    cancelRetry();
    try {
      const nextAtMs = await resolvePending({ ...parts, hearLate });
      if (nextAtMs !== null) wakeAt(nextAtMs);
    } catch (error) {
      if (!stopped) cancelRetry = realClock.alarm(realClock.nowMs() + RETRY_MS, settleUnasked);
      throw error;
    }
  }

  /** Between rounds, so that a stop waits for it; after a stop it is left to the next start. */
  function hearLate(final: FinalTransaction): void {
    round = round.then(() => (stopped ? undefined : recordLate(parts, final)));
  }

  return {
    wakeAt,
    settle,
    async stop() {
      stopped = true;
      cancelAlarm();
      cancelRetry();
      await round;
    },
  };
}
