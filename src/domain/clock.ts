/** Time as an argument: nothing below the command line reads the host's clock or sets a timer of its own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;

  /**
   * Rings once, as soon as this clock shows `atMs` or later, but never before this call has returned.
   * @returns a function that cancels the alarm; harmless after it has rung
   */
  alarm(atMs: number, ring: () => void): () => void;
}
