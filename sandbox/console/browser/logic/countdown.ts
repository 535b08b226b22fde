import type { ClockReading } from "../wire.ts";

/** A reading of the sandbox's clock, and when it was taken by a clock of the browser's that nobody moves. */
export interface ClockAt extends Omit<ClockReading, "now"> {
  readonly takenAtMs: number;
}

/** What time it is for momo, by the last reading: a clock that stands still shows the same however long ago that was. */
export function sandboxNowMs({ now_ms, frozen, takenAtMs }: ClockAt, monotonicMs: number): number {
  return frozen ? now_ms : now_ms + Math.max(0, monotonicMs - takenAtMs);
}

/** How long a prompt still waits for its customer. */
export interface Countdown {
  /** `0:42`: what is left, a second that has begun counted in full. */
  readonly text: string;
  /** From 1 at the start to 0 at the end. */
  readonly share: number;
}

export function countdown(startMs: number, endMs: number, nowMs: number): Countdown {
  const leftMs = Math.min(Math.max(0, endMs - nowMs), Math.max(0, endMs - startMs));
  const seconds = Math.ceil(leftMs / 1000);
  return {
    text: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`,
    share: endMs > startMs ? leftMs / (endMs - startMs) : 0,
  };
}
