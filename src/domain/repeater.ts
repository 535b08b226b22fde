import type { Clock } from "./clock.ts";

interface Repeated {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => unknown;
  readonly isNeeded?: () => boolean;
  readonly onError: (error: unknown) => void;
}

export interface Repeater {
  /** Begins an interval from now, if it is needed now. */
  start(): void;
  stop(): void;
}

/** Repeats work while it is needed, each time an interval after it has ended. */
export function createRepeater({ clock, everyMs, work, isNeeded = () => true, onError }: Repeated): Repeater {
  let [isRunning, isStopped, cancel] = [false, false, () => {}];

  function repeat(): void {
    void Promise.try(work).catch(onError).finally(later);
  }

  function later(): void {
    isRunning = !isStopped && isNeeded();
    if (isRunning) cancel = clock.alarm(clock.nowMs() + everyMs, repeat);
  }

  return {
    start(): void {
      if (!isRunning) later();
    },
    stop(): void {
      isStopped = true;
      cancel();
    },
  };
}
