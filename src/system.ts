import type { Clock } from "./domain/clock.ts";
import type { Random } from "./domain/random.ts";

/** The only file that touches the host's time and chance; everything else is handed one of these. */

/** setTimeout takes no longer delay than this: 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  alarm(atMs, ring) {
    let timer: ReturnType<typeof setTimeout>;
    const arm = () => {
      const delayMs = atMs - Date.now();
      // The host's clock may have been set back meanwhile, so the alarm looks before it rings.
      timer = setTimeout(delayMs > 0 ? arm : ring, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    };
    arm();
    return () => clearTimeout(timer);
  },
};

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
