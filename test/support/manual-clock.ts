import type { Clock } from "../../src/domain/clock.ts";

/** A clock that stands still until a test moves it, and that shows which alarms are set. */
export interface ManualClock extends Clock {
  /** When the alarms that are set will ring, earliest first. */
  readonly alarmsAtMs: readonly number[];
  /** Moves forward and rings the alarms on the way, in order, each at its time. */
  advance(durationMs: number): void;
  /** Moves the clock and rings no alarm, as when the process has slept or the host's clock was set. */
  set(nowMs: number): void;
}

export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  let alarms: { readonly atMs: number; readonly ring: () => void }[] = [];

  return {
    nowMs: () => nowMs,
    alarm(atMs, ring) {
      const alarm = { atMs, ring };
      // Alarms of the same time ring in the order in which they were set.
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
