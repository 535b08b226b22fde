/** The state and the counters of an engine, for metrics and health checks. */
export interface Vitals {
  /** Such as `sqlite`. */
  readonly engine: string;
  readonly work: Omit<Meter, "committed" | "retried">;
  /** Reads the current state of the engine. */
  measure(): Promise<Measurement>;
  /** What keeps payments from being stored, whatever was stored lately; null if nothing is known. */
  whyNotWritable(): string | null;
  /** An error if the files of the payments are not where they were; else null. It is cheap enough for each second. */
  findMissing(): Error | null;
  /** What became of the payments of a server that stops, if they are not where they were; else null. */
  describeLoss(): string | null;
  /** Stores a payment and takes it back, so that nobody ever sees it. Rejects if a payment cannot be stored now. */
  probe(): Promise<void>;
  /** What an error says about the engine; null if it is about one write, or is not the engine's. */
  engineFailureOf(error: unknown): EngineFailure | null;
}

/** Why an engine fails. */
export interface EngineFailure {
  /** In a few words without secrets, names or addresses. */
  readonly reason: string;
  /** What helps, for the operator. */
  readonly advice: string;
}

/** The state of the engine now. */
export interface Measurement {
  /** Where an answered payment is kept, in one or two words. */
  readonly durability: string;
  readonly pending: number;
  /** How far the engine's clock is ahead of the host's. */
  readonly clockOffsetMs: number;
  /** Connections to the engine; null where there are none. */
  readonly connections: number | null;
  /** Long reads of the list, such as broad searches, that run or wait for their turn; null where each has a connection. */
  readonly longReads: number | null;
}

const BOUNDS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts the work of an engine since it was opened. */
export class Meter {
  readonly #counts = BOUNDS_S.map(() => 0);
  /** Writes that were tried again, by reason. */
  readonly retries = new Map<string, number>();
  commits = 0;
  commitSeconds = 0;
  /** Writes of all commits. */
  rows = 0;
  /** Commits without an answer: what they wrote may be stored. */
  unknownOutcomes = 0;

  committed(rows: number, startedMs: number, endedMs: number): void {
    const seconds = (endedMs - startedMs) / 1000;
    this.commits += 1;
    this.commitSeconds += seconds;
    this.rows += rows;
    const place = BOUNDS_S.findIndex((bound) => seconds <= bound);
    if (place >= 0) this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  retried(reason: string): void {
    this.retries.set(reason, (this.retries.get(reason) ?? 0) + 1);
  }

  /** Commits by how long they took: for each bound in seconds, how many took no longer. */
  get commitTimes() {
    let sum = 0;
    return BOUNDS_S.map((seconds, place) => {
      sum += this.#counts[place] ?? 0;
      return { seconds, count: sum };
    });
  }
}
