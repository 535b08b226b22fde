import type { Clock } from "../../src/domain/clock.ts";

interface Alarm {
  /** The process that set it. */
  readonly owner: symbol;
  readonly atMs: number;
  readonly ring: () => void;
}

/** The time outside the process under test. It stands still until somebody lets it pass. */
export interface SimulatedTime {
  nowMs(): number;
  /** The same time for one process. */
  forProcess(): ProcessTime;
  /** When the next alarm rings; null where none is set. */
  nextAlarmAtMs(): number | null;
  /** Moves on to an instant, and rings nothing. */
  moveTo(atMs: number): void;
  /** Rings what is due, earliest first; what is set meanwhile waits for the next call. @returns how many rang */
  ringDue(): number;
}

/** What a process sees of the time, for as long as it lives. */
export interface ProcessTime extends Clock {
  /** Drops its alarms, and takes no new ones: whoever sets them is no more. */
  silence(): void;
}

export function createSimulatedTime(startMs: number): SimulatedTime {
  let nowMs = startMs;
  let alarms: Alarm[] = [];
  return {
    nowMs: () => nowMs,
    forProcess() {
      const owner = Symbol("process");
      let isOver = false;
      return {
        nowMs: () => nowMs,
        alarm(atMs, ring) {
          if (isOver) return () => {};
          const alarm = { owner, atMs, ring };
          alarms.push(alarm);
          return () => {
            alarms = alarms.filter((other) => other !== alarm);
          };
        },
        silence() {
          isOver = true;
          alarms = alarms.filter((alarm) => alarm.owner !== owner);
        },
      };
    },
    nextAlarmAtMs: () => (alarms.length === 0 ? null : Math.min(...alarms.map(({ atMs }) => atMs))),
    moveTo(atMs) {
      nowMs = Math.max(nowMs, atMs);
    },
    ringDue() {
      // The sort keeps those of one instant in the order in which they were set.
      const due = alarms.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
      let rung = 0;
      for (const alarm of due) {
        // One alarm may have cancelled another.
        if (!alarms.includes(alarm)) continue;
        alarms = alarms.filter((other) => other !== alarm);
        alarm.ring();
        rung += 1;
      }
      return rung;
    },
  };
}
