import type { Clock } from "../../src/domain/clock.ts";

/** A clock that stands still until a test moves it, and that tells which alarms are set. */
export interface ManualClock extends Clock {
  /** When the alarms that are set will ring, earliest first. */
  readonly alarmsAtMs: readonly number[];
  /** Moves forward and rings what is due on the way, in order, each at its own instant. */
  advance(durationMs: number): void;
  /** Moves the clock and rings nothing: as if this process had slept, or the host's clock had been set. */
  set(nowMs: number): void;
}

export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  let alarms: { readonly atMs: number; readonly ring: () => void }[] = [];

  return {
    nowMs: () => nowMs,
    alarm(atMs, ring) {
      const alarm = { atMs, ring };
      // Of equal ones the first that was set comes first.
      alarms = [...alarms, alarm].sort((a, b) => a.atMs - b.atMs);
      return () => {
        alarms = alarms.filter((other) => other !== alarm);
      };
    },
    get alarmsAtMs() {
      return alarms.map(({ atMs }) => atMs);
    },
    advance(durationMs) {
      const endMs = nowMs + durationMs;
      for (let [next] = alarms; next && next.atMs <= endMs; [next] = alarms) {
        alarms = alarms.slice(1);
        nowMs = Math.max(nowMs, next.atMs);
        next.ring();
      }
      nowMs = endMs;
    },
    set(toMs) {
      nowMs = toMs;
    },
  };
}
