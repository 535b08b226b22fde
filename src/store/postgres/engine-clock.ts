import type { Clock } from "../../domain/clock.ts";

/** How much faster or slower the clock runs while it is wrong. */
const SLEW = 0.1;

/** A difference that is too large for an error of measurement. */
const JUMP_MS = 1000;

/** After this time without a measurement, the engine's clock counts as unknown. */
const STALE_MS = 30_000;

/** A measurement: the engine's time, and what `stopwatch` showed at that moment. */
export interface ClockReading {
  readonly engineMs: number;
  readonly stopwatchMs: number;
}

/** A clock that shows the engine's time: the same on all replicas, whatever their hosts' clocks show. */
export interface EngineClock extends Clock {
  /** How far the engine's clock is ahead of the host's. */
  readonly offsetMs: number;
  /** `unknown`: not measured for a while. `jumped`: it differs from this clock by more than a second. */
  readonly state: "known" | "unknown" | "jumped";
}

export interface MeasuredClock extends EngineClock {
  /** The first reading sets the clock. The clock approaches later readings slowly, and never goes back. */
  correct(reading: ClockReading): void;
}

/** @param host real time, for alarms and until the first reading */
export function createEngineClock(host: Clock, stopwatch: () => number): MeasuredClock {
  let lastReading: ClockReading | null = null;
  let shownMs = host.nowMs();
  let readAtMs = stopwatch();

  /** What the engine's clock shows now, by the last reading. */
  const targetAt = (atMs: number) =>
    lastReading === null ? null : lastReading.engineMs + (atMs - lastReading.stopwatchMs);

  function exactMs(): number {
    const atMs = stopwatch();
    const elapsedMs = atMs - readAtMs;
    readAtMs = atMs;
    shownMs += elapsedMs;
    const gapMs = (targetAt(atMs) ?? shownMs) - shownMs;
    shownMs += Math.max(-SLEW * elapsedMs, Math.min(SLEW * elapsedMs, gapMs));
    return shownMs;
  }

  const nowMs = () => Math.floor(exactMs());

  return {
    nowMs,
    alarm(atMs: number, ring: () => void): () => void {
      let cancel = () => {};
      // The host's clock can run faster or slower, so check this clock when the host's alarm rings.
      const arm = () => {
        cancel = host.alarm(host.nowMs() + Math.max(atMs - nowMs(), 0), () => (nowMs() >= atMs ? ring() : arm()));
      };
      arm();
      return () => cancel();
    },
    correct(reading: ClockReading): void {
      const isFirst = lastReading === null;
      exactMs();
      lastReading = reading;
      if (isFirst) shownMs = targetAt(readAtMs) ?? shownMs;
    },
    get offsetMs() {
      return Math.round(exactMs() - host.nowMs());
    },
    get state(): EngineClock["state"] {
      const atMs = stopwatch();
      if (lastReading === null || atMs - lastReading.stopwatchMs > STALE_MS) return "unknown";
      return Math.abs((targetAt(atMs) ?? 0) - exactMs()) > JUMP_MS ? "jumped" : "known";
    },
  };
}
