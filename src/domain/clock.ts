/** Time as an argument: nothing below the command line reads the host's clock or sets a timer of its own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;

  /**
   * Rings once, when this clock shows `atMs` or later: soon if it already does, never before the caller has returned.
   * @returns a function that cancels the alarm; harmless after it has rung
   */
  alarm(atMs: number, ring: () => void): () => void;
}
