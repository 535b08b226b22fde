import type { Clock } from "./domain/clock.ts";
import type { Random } from "./domain/random.ts";

/** The only file that uses the time and randomness of the host. Everything else gets them as arguments. */

/** A timer does not count the time while the machine sleeps, so an alarm reads the clock at least this often. */
const LONGEST_TIMER_MS = 2000;

/** How fast our clock runs while it is ahead of the host: real oscillators differ by less. */
const CATCH_UP_PACE = 0.999;

/**
 * The host's time, except that it never goes back. When the host's clock is set back, this one goes on by the time that passes,
 * so that nothing due is held up; a little slower, so that the two meet again.
 */
export function steadyTime(hostMs: () => number, elapsedMs: () => number): () => number {
  let shownMs = hostMs();
  let lookedMs = elapsedMs();
  return () => {
    const nowMs = elapsedMs();
    shownMs = Math.max(hostMs(), shownMs + (nowMs - lookedMs) * CATCH_UP_PACE);
    lookedMs = nowMs;
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

/** Resolves after `durationMs`, or at once when `signal` is aborted. */
export function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
