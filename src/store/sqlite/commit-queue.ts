import type { Database } from "bun:sqlite";
import { isBusy } from "./database.ts";
import type { Snapshot } from "./snapshot.ts";
import type { TotalsChange } from "./totals.ts";

/**
 * Group commit. A durable commit costs one flush of the disk however much it holds, so the writes that arrive together share one;
 * each is answered only after its commit.
 */
export interface CommitQueue {
  /**
   * Runs `write` inside the next commit.
   * @param write may run a second time, so it changes nothing but the database and the totals, and forgets what is kept of it
   * @returns what `write` returned, once it is on disk; rejects with what it threw, and then nothing of it remains
   */
  run<T>(write: () => T): Promise<T>;
}

interface Entry {
  write(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A commit comes once a turn of the event loop has brought no more writes, and after so many turns in any case. */
const MOST_TURNS = 3;

export function createCommitQueue(client: Database, snapshot: Snapshot, totals: TotalsChange): CommitQueue {
  let waiting: Entry[] = [];
  const commit = client.transaction((entries: readonly Entry[]) => {
    totals.begin();
    const values = entries.map((entry) => entry.write());
    totals.write();
    return values;
  });

  /** A slow disk flushes once for the requests of several turns; where nothing comes, a turn costs a fast one nothing. */
  function flushWhenQuiet(turn: number, before: number): void {
    setImmediate(() => {
      if (waiting.length > before && turn < MOST_TURNS) flushWhenQuiet(turn + 1, waiting.length);
      else flush();
    });
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    snapshot.end();
    try {
      answerAll(batch, commit.immediate(batch));
    } catch (error) {
      // Whoever is to blame, nothing of the batch is written. Where another process holds the database, each alone would only
      // wait again; otherwise one bad write must not spoil its neighbours.
      if (isBusy(error) || batch.length === 1) for (const entry of batch) entry.reject(error);
      else for (const entry of batch) retryAlone(entry);
    }
  }

  function retryAlone(entry: Entry): void {
    try {
      answerAll([entry], commit.immediate([entry]));
    } catch (error) {
      entry.reject(error);
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

function answerAll(entries: readonly Entry[], values: readonly unknown[]): void {
  for (const [index, entry] of entries.entries()) entry.resolve(values[index]);
}
