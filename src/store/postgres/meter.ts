import type { Histogram, PostgresMetrics } from "./options.ts";

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts what the engine does. */
export class Meter implements PostgresMetrics {
  commits = 0;
  rows = 0;
  unknownOutcomes = 0;
  leftUnknown = 0;
  claimed = 0;
  resolved = 0;
  dueLagMs = 0;
  readonly retriesBySqlstate = new Map<string, number>();
  readonly #counts: number[] = BOUNDS.map(() => 0);
  #seconds = 0;

  get commitSeconds(): Histogram {
    const buckets = BOUNDS.map((le, index) => ({ le, count: this.#counts[index] ?? 0 }));
    return { sum: this.#seconds, count: this.commits, buckets };
  }

  committed(rows: number, seconds: number): void {
    this.commits += 1;
    this.rows += rows;
    this.#seconds += seconds;
    for (const [index, le] of BOUNDS.entries()) if (seconds <= le) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  retried(state: string): void {
    this.retriesBySqlstate.set(state, (this.retriesBySqlstate.get(state) ?? 0) + 1);
  }
}
