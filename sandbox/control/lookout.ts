import type { Clock } from "../../src/domain/clock.ts";

export interface LookoutParts {
  readonly realClock: Clock;
  readonly everyMs: number;
  readonly isNeeded: () => boolean;
  readonly look: () => Promise<unknown>;
  readonly reportFault: (error: unknown) => void;
}

/** Looks again and again, as long as somebody needs it: nobody tells a replica what others have changed. */
export function createLookout({ realClock, everyMs, isNeeded, look, reportFault }: LookoutParts) {
  let [isLooking, cancel] = [false, () => {}];

  function lookLater(): void {
    isLooking = isNeeded();
    if (!isLooking) return;
    cancel = realClock.alarm(realClock.nowMs() + everyMs, () => void look().catch(reportFault).finally(lookLater));
  }

  return {
    /** Somebody may need it now. */
    start(): void {
      if (!isLooking) lookLater();
    },
    stop(): void {
      cancel();
    },
  };
}
