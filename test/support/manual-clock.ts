import type { Clock } from "../../src/domain/clock.ts";

/** A clock that stands still until a test moves it, and that shows which alarms are set. One that is due when it is set rings soon. */
export interface ManualClock extends Clock {
  /** When the alarms that are set will ring, earliest first. */
  readonly alarmsAtMs: readonly number[];
  /** Moves forward and rings the alarms on the way, in order, each at its time. */
  advance(durationMs: number): void;
  /** Moves the clock and rings no alarm, as when the process has slept or the host's clock was set. */
  set(nowMs: number): void;
}

interface Alarm {
  readonly atMs: number;
  readonly ring: () => void;
}

export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  let alarms: Alarm[] = [];

  function ringIfSet(alarm: Alarm): void {
    if (!alarms.includes(alarm)) return;
    alarms = alarms.filter((other) => other !== alarm);
    alarm.ring();
  }

  return {
    nowMs: () => nowMs,
    alarm(atMs, ring) {
      const alarm = { atMs, ring };
      // Alarms of the same time ring in the order in which they were set.
      alarms = [...alarms, alarm].sort((a, b) => a.atMs - b.atMs);
      if (atMs <= nowMs) setImmediate(() => ringIfSet(alarm));
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
        nowMs = Math.max(nowMs, next.atMs);
        ringIfSet(next);
      }
      nowMs = endMs;
    },
    set(toMs) {
      nowMs = toMs;
    },
  };
}
