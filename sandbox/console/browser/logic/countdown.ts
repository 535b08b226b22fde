import { timeLeft } from "../../../../src/domain/duration.ts";
import type { ClockReading } from "../wire.ts";

/** A reading of the sandbox's clock, and the browser's monotonic time of the reading. */
export interface ClockAt extends Omit<ClockReading, "now"> {
  readonly takenAtMs: number;
}

/** The sandbox's time, from the last reading. A frozen clock shows the time of the reading. */
export function sandboxNowMs({ now_ms, frozen, takenAtMs }: ClockAt, monotonicMs: number): number {
  return frozen ? now_ms : now_ms + Math.max(0, monotonicMs - takenAtMs);
}

/** How long a prompt still waits for the customer. */
export interface Countdown {
  /** The text of {@link timeLeft}. */
  readonly text: string;
  /** From 1 at the start to 0 at the end. */
  readonly share: number;
}

export function countdown(startMs: number, endMs: number, nowMs: number): Countdown {
  const leftMs = Math.min(Math.max(0, endMs - nowMs), Math.max(0, endMs - startMs));
  return {
    text: timeLeft(leftMs),
    share: endMs > startMs ? leftMs / (endMs - startMs) : 0,
  };
}
