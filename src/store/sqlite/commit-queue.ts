import type { Database } from "bun:sqlite";
import { isBusy } from "./database.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Group commit. A durable commit costs one flush of the disk however much it holds, so the writes that arrive in one turn of
 * the event loop share one; each is answered only after its commit.
 */
export interface CommitQueue {
  /**
   * Runs `write` inside the next commit.
   * @param write may run a second time, so it changes nothing but the database, and forgets what is kept of it
   * @returns what `write` returned, once it is on disk; rejects with what it threw, and then nothing of it remains
   */
  run<T>(write: () => T): Promise<T>;
}

interface Entry {
  write(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export function createCommitQueue(client: Database, snapshot: Snapshot): CommitQueue {
  let waiting: Entry[] = [];
  const commit = client.transaction((entries: readonly Entry[]) => entries.map((entry) => entry.write()));

  function flush(): void {
    const batch = waiting;
    waiting = [];
    snapshot.end();
    try {
      settle(batch, commit.immediate(batch));
    } catch (error) {
      // Whoever is to blame, nothing of the batch is written. Where another process holds the database, each alone would only
      // wait again; otherwise one bad write must not spoil its neighbours.
      if (isBusy(error) || batch.length === 1) for (const entry of batch) entry.reject(error);
      else for (const entry of batch) retryAlone(entry);
    }
  }

  function retryAlone(entry: Entry): void {
    try {
      settle([entry], commit.immediate([entry]));
    } catch (error) {
      entry.reject(error);
    }
  }

  return {
    run<T>(write: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ write, resolve: resolve as (value: unknown) => void, reject });
      });
    },
  };
}

function settle(entries: readonly Entry[], values: readonly unknown[]): void {
  for (const [index, entry] of entries.entries()) entry.resolve(values[index]);
}
