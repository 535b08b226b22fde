import type { Clock } from "../../src/domain/clock.ts";

export interface PollingParts {
  readonly realClock: Clock;
  readonly everyMs: number;
  readonly isNeeded: () => boolean;
  readonly poll: () => Promise<unknown>;
  readonly reportFault: (error: unknown) => void;
}

/** Polls at an interval while it is needed, because a replica is not notified of the changes of others. */
export function createPolling({ realClock, everyMs, isNeeded, poll, reportFault }: PollingParts) {
  let [isPolling, cancel] = [false, () => {}];

  function pollLater(): void {
    isPolling = isNeeded();
    if (!isPolling) return;
    cancel = realClock.alarm(realClock.nowMs() + everyMs, () => void poll().catch(reportFault).finally(pollLater));
  }

  return {
    /** Starts polling if it is needed now. */
    start(): void {
      if (!isPolling) pollLater();
    },
    stop(): void {
      cancel();
    },
  };
}
