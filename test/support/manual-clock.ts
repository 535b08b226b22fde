interface Alarm {
  readonly atMs: number;
  readonly ring: () => void;
}

export type ManualClock = ReturnType<typeof createManualClock>;

/** A clock that stands still until a test moves it, and that shows which alarms are set. One that is due when it is set rings soon. */
export function createManualClock(startMs: number) {
  let nowMs = startMs;
  let alarms: Alarm[] = [];

  function ringIfSet(alarm: Alarm): void {
    if (!alarms.includes(alarm)) return;
    alarms = alarms.filter((other) => other !== alarm);
    alarm.ring();
  }

  return {
    nowMs: () => nowMs,
    alarm(atMs: number, ring: () => void) {
      const alarm = { atMs, ring };
      // Alarms of the same time ring in the order in which they were set.
      alarms = [...alarms, alarm].sort((a, b) => a.atMs - b.atMs);
      if (atMs <= nowMs) setImmediate(() => ringIfSet(alarm));
      return () => {
        alarms = alarms.filter((other) => other !== alarm);
      };
    },
    /** When the alarms that are set will ring, earliest first. */
    get alarmsAtMs(): readonly number[] {
      return alarms.map(({ atMs }) => atMs);
    },
    /** Moves forward and rings the alarms on the way, in order, each at its time. */
    advance(durationMs: number): void {
      const endMs = nowMs + durationMs;
      for (let [next] = alarms; next && next.atMs <= endMs; [next] = alarms) {
        nowMs = Math.max(nowMs, next.atMs);
        ringIfSet(next);
      }
      nowMs = endMs;
    },
    /** Moves the clock and rings no alarm, as when the process has slept or the host's clock was set. */
    set(toMs: number): void {
      nowMs = toMs;
    },
  };
}
