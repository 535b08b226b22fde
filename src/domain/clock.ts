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
