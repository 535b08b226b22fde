/** The state and the counters of an engine, for metrics and health checks. */
export interface Vitals {
  /** Such as `sqlite`. */
  readonly engine: string;
  readonly work: Work;
  /** Reads the current state of the engine. */
  look(): Promise<Look>;
  /** Why no payment can be stored now, in a few words without secrets; null if one can. It writes if nothing was written lately. */
  obstacle(): Promise<string | null>;
}

/** What an engine counts since it was opened. */
export interface Work {
  /** Commits by how long they took: for each bound in seconds, how many took no longer. */
  readonly commitTimes: readonly { readonly seconds: number; readonly count: number }[];
  readonly commits: number;
  readonly commitSeconds: number;
  /** Writes of all commits. */
  readonly rows: number;
  /** Writes that were tried again, by reason. */
  readonly retries: ReadonlyMap<string, number>;
  /** Writes for which it was unknown for some time whether they were stored. */
  readonly unknownOutcomes: number;
}

export interface Look {
  /** Where an answered payment is kept, in one or two words. */
  readonly durability: string;
  readonly pending: number;
  /** How far the engine's clock is ahead of the host's. */
  readonly clockOffsetMs: number;
  /** Connections to the engine; null where there are none. */
  readonly connections: number | null;
}

/** How old the last write may be for a server that is ready. */
export const RECENT_WRITE_MS = 2000;

const BOUNDS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts the work of an engine. */
export class Meter implements Work {
  readonly #counts = BOUNDS_S.map(() => 0);
  readonly retries = new Map<string, number>();
  commits = 0;
  commitSeconds = 0;
  rows = 0;
  unknownOutcomes = 0;
  /** When the last commit ended, by the stopwatch of the engine. */
  lastCommitMs = Number.NEGATIVE_INFINITY;

  committed(rows: number, startedMs: number, endedMs: number): void {
    const seconds = (endedMs - startedMs) / 1000;
    this.lastCommitMs = endedMs;
    this.commits += 1;
    this.commitSeconds += seconds;
    this.rows += rows;
    const place = BOUNDS_S.findIndex((bound) => seconds <= bound);
    if (place >= 0) this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  retried(reason: string): void {
    this.retries.set(reason, (this.retries.get(reason) ?? 0) + 1);
  }

  get commitTimes() {
    let sum = 0;
    return BOUNDS_S.map((seconds, place) => {
      sum += this.#counts[place] ?? 0;
      return { seconds, count: sum };
    });
  }
}
