import type { Database } from "bun:sqlite";
import type { Meter } from "../vitals.ts";
import { DatabaseFileMissing } from "./database-file.ts";
import { isBusy } from "./failures.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";
import type { TotalsChange } from "./totals.ts";

interface Entry {
  write(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Parts {
  readonly client: Database;
  readonly readSnapshot: ReadSnapshot;
  readonly totals: TotalsChange;
  readonly meter: Meter;
  /** In milliseconds. */
  readonly stopwatch: () => number;
  /** Throws if the file of the database is gone. */
  readonly assertFileInPlace: () => void;
}

/** A commit starts when a turn of the event loop brings no more writes, and after this many turns at the latest. */
const MOST_TURNS = 3;

export interface CommitQueue {
  /**
   * Runs `write` inside the next commit.
   * @param write may run twice, so it changes only the database and the totals, and drops cached rows
   * @returns the result of `write` when it is on disk; rejects with its error, and then nothing is written
   */
  run<T>(write: () => T): Promise<T>;
}

/**
 * Group commit. A durable commit costs one flush of the disk, whatever its size, so writes that arrive together share one. Each
 * write is answered after its commit.
 */
export function createCommitQueue(parts: Parts): CommitQueue {
  const { client, readSnapshot, totals, meter, stopwatch, assertFileInPlace } = parts;
  let waiting: Entry[] = [];
  const commit = client.transaction((entries: readonly Entry[]) => {
    totals.discard();
    const values = entries.map((entry) => entry.write());
    totals.write();
    return values;
  });

  function store(entries: readonly Entry[]): unknown[] {
    const startedMs = stopwatch();
    assertFileInPlace();
    const values = commit.immediate(entries);
    meter.committed(entries.length, startedMs, stopwatch());
    return values;
  }

  /** With a slow disk, the requests of several turns share one flush. With a fast disk, a turn without writes costs nothing. */
  function flushWhenQuiet(turn: number, before: number): void {
    setImmediate(() => {
      if (waiting.length > before && turn < MOST_TURNS) flushWhenQuiet(turn + 1, waiting.length);
      else flush();
    });
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    answer(batch);
  }

  function answer(entries: readonly Entry[]): void {
    try {
      readSnapshot.close();
      const values = store(entries);
      for (const [index, entry] of entries.entries()) entry.resolve(values[index]);
    } catch (error) {
      // Nothing is written. If another process holds the database, or it is gone, each write alone would fail, too. Otherwise run
      // them one by one, so that one bad write does not fail the others.
      const isForAll = entries.length === 1 || isBusy(error) || error instanceof DatabaseFileMissing;
      for (const entry of entries) {
        if (isForAll) entry.reject(error);
        else {
          meter.retried("batch");
          answer([entry]);
        }
      }
    }
  }

  return {
    run<T>(write: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ write, resolve: resolve as (value: unknown) => void, reject });
        if (waiting.length === 1) flushWhenQuiet(1, 0);
      });
    },
  };
}
