import type { Clock } from "../../src/domain/clock.ts";

export interface LookoutParts {
  readonly realClock: Clock;
  readonly everyMs: number;
  readonly isNeeded: () => boolean;
  readonly look: () => Promise<unknown>;
  readonly reportFault: (error: unknown) => void;
}

/** Polls at an interval while it is needed, because a replica is not notified of the changes of others. */
export function createLookout({ realClock, everyMs, isNeeded, look, reportFault }: LookoutParts) {
  let [isLooking, cancel] = [false, () => {}];

  function lookLater(): void {
    isLooking = isNeeded();
    if (!isLooking) return;
    cancel = realClock.alarm(realClock.nowMs() + everyMs, () => void look().catch(reportFault).finally(lookLater));
  }

  return {
    /** Starts polling if it is needed now. */
    start(): void {
      if (!isLooking) lookLater();
    },
    stop(): void {
      cancel();
    },
  };
}
