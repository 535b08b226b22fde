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

interface Repeated {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => unknown;
  readonly isNeeded?: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Repeats work while it is needed, each time an interval after it has ended. */
export function createRepeater({ clock, everyMs, work, isNeeded = () => true, onError }: Repeated) {
  let [isRunning, isStopped, cancel] = [false, false, () => {}];

  function repeat(): void {
    const done = work();
    if (done instanceof Promise) void done.catch(onError).finally(later);
    else later();
  }

  function later(): void {
    isRunning = !isStopped && isNeeded();
    if (isRunning) cancel = clock.alarm(clock.nowMs() + everyMs, repeat);
  }

  return {
    /** Begins an interval from now, if it is needed now. */
    start(): void {
      if (!isRunning) later();
    },
    stop(): void {
      isStopped = true;
      cancel();
    },
  };
}
