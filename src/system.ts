import { type Clock, pause } from "./domain/clock.ts";
import type { Random } from "./domain/random.ts";

/** The only file that uses the time and randomness of the host. All other files get them as arguments. */

/** A timer stops while the machine is suspended, so an alarm reads the clock at least this often. */
const LONGEST_TIMER_MS = 2000;

/** The pace of our clock while it is ahead of the host's. Real oscillators differ by less. */
const CATCH_UP_PACE = 0.999;

/**
 * The host's time, except that it never goes back. After the host's clock was set back, this clock runs on, so that due payments
 * are not delayed. It runs a little slower until the host's clock has caught up.
 * @param startMs an instant that it must not show again, or go behind
 */
export function steadyTime(hostMs: () => number, elapsedMs: () => number, startMs = hostMs()): () => number {
  let shownMs = startMs;
  let readAtMs = elapsedMs();
  return () => {
    const nowMs = elapsedMs();
    shownMs = Math.max(hostMs(), shownMs + (nowMs - readAtMs) * CATCH_UP_PACE);
    readAtMs = nowMs;
    return Math.floor(shownMs);
  };
}

/** A clock with this time. An alarm notices within {@link LONGEST_TIMER_MS} that the time has jumped. */
export function clockBy(nowMs: () => number): Clock {
  return {
    nowMs,
    alarm(atMs, ring) {
      let timer: ReturnType<typeof setTimeout>;
      const arm = () => {
        const delayMs = atMs - nowMs();
        timer = setTimeout(delayMs > 0 ? arm : ring, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS));
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock: Clock = clockBy(
  steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
);

/** Milliseconds with fractions since the process started: for durations, never for dates. */
export const stopwatch = (): number => performance.now();

export const systemRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/** A clock for durations, such as time-outs and retries: a change of the host's clock does not move it. */
export function durationClock(startMs: number, elapsedMs: () => number): Clock {
  const startedMs = elapsedMs();
  return clockBy(() => Math.floor(startMs + elapsedMs() - startedMs));
}

export const durations: Clock = durationClock(Date.now(), stopwatch);

/** Resolves after `durationMs`, or at once when `signal` is aborted. */
export const sleep = (durationMs: number, signal?: AbortSignal): Promise<void> => pause(durations, durationMs, signal);
