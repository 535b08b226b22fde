import type { Clock } from "../../src/domain/clock.ts";

export interface ProcessTime extends Clock {
  /** Drops all alarms and accepts no new ones: the process has ended. */
  silence(): void;
}

/** The time outside the process under test. It stands still until the world lets it pass. */
export function createSimulatedTime(startMs: number) {
  let nowMs = startMs;
  const alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>();
  return {
    nowMs: () => nowMs,
    /** The same time for one process; only one lives at a time. */
    forProcess(): ProcessTime {
      let hasEnded = false;
      return {
        nowMs: () => nowMs,
        alarm(atMs, ring) {
          const alarm = { atMs, ring };
          if (!hasEnded) alarms.add(alarm);
          return () => void alarms.delete(alarm);
        },
        silence() {
          if (!hasEnded) alarms.clear();
          hasEnded = true;
        },
      };
    },
    /** When the next alarm rings; null if none is set. */
    nextAlarmAtMs: () => (alarms.size === 0 ? null : Math.min(...[...alarms].map(({ atMs }) => atMs))),
    /** Moves on to an instant, and rings nothing. */
    moveTo(atMs: number): void {
      nowMs = Math.max(nowMs, atMs);
    },
    /** Rings what is due, earliest first; an alarm that is set during the call waits for the next call. @returns how many rang */
    ringDue(): number {
      // Alarms of one instant ring in the order in which they were set; one may cancel another.
      const due = [...alarms].filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
      const rung = due.filter((alarm) => {
        const isSet = alarms.delete(alarm);
        if (isSet) alarm.ring();
        return isSet;
      });
      return rung.length;
    },
  };
}
