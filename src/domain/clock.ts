/** Time as an argument: only `src/system.ts` uses the host's clock and timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;

  /**
   * Rings once, when this clock shows `atMs` or later, but never before this function has returned.
   * @returns a function that cancels the alarm; it does nothing after the alarm has rung
   */
  alarm(atMs: number, ring: () => void): () => void;
}

/** Resolves after `durationMs`, or at once when `signal` is aborted. */
export function pause(clock: Clock, durationMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve(); // an earlier abort fires no event
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.alarm(clock.nowMs() + durationMs, end);
    signal?.addEventListener("abort", end);
  });
}

/** Waits until `work` is done, for `durationMs` at most. @returns its result; null if it takes longer */
export async function atMost<T>(clock: Clock, durationMs: number, work: Promise<T>): Promise<T | null> {
  const done = new AbortController();
  const late = pause(clock, durationMs, done.signal).then(() => null);
  return Promise.race([work, late]).finally(() => done.abort());
}

/** One alarm, for the earliest of several times. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel = () => {};

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Whether its time has come, although it may not have rung yet. */
  get isDue(): boolean {
    return this.#atMs <= this.#clock.nowMs();
  }

  /** Sets it, unless it is set for an earlier time. */
  wakeAt(atMs: number): void {
    if (atMs >= this.#atMs) return;
    this.#cancel();
    this.#atMs = atMs;
    this.#cancel = this.#clock.alarm(atMs, () => {
      this.#atMs = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  cancel(): void {
    this.#cancel();
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}
