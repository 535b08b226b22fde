import type { Attempts } from "./attempts.ts";
import { Overloaded } from "./failures.ts";

export interface GroupOptions<Item, Result> {
  readonly attempts: Attempts;
  /** How many statements can run at once; one while the engine does not answer. */
  readonly lanes: number;
  /** How many items one statement has at most; by default 500. */
  readonly most?: number;
  /** What an item writes to: items with the same key are never in one statement, and keep their order. Only with one lane. */
  readonly keysOf?: (item: Item) => readonly number[];
  /**
   * @param lane from 0: no two statements of one lane run at once
   * @returns for each item its result, or the error that its caller gets
   */
  run(items: readonly Item[], lane: number): Promise<readonly (Result | Error)[]>;
}

const MOST_ITEMS = 500;

/** Another lane starts when this many items wait: smaller batches cost more, and are not faster. */
const ENOUGH = 32;

/** How many items can wait. More would only fail later. */
const MOST_WAITING = 20_000;

interface Entry<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines the items of a turn of the event loop, or those that arrive while earlier statements run, into one statement. SQLite's
 * commit queue has other work: it runs functions, waits for the disk, and repeats them one by one.
 */
export function createGroup<Item, Result>(options: GroupOptions<Item, Result>) {
  const { attempts, lanes, most = MOST_ITEMS, keysOf, run } = options;
  const waiting: Entry<Item, Result>[] = [];
  const freeLanes = Array.from({ length: lanes }, (_, lane) => lane);
  let [running, isPlanned] = [0, false];
  let empty: PromiseWithResolvers<void> | null = null;

  function plan(): void {
    if (isPlanned || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      start();
    });
  }

  function start(): void {
    const mostLanes = attempts.isStuck ? 1 : lanes;
    while (waiting.length > 0 && lanes - freeLanes.length < mostLanes) {
      if (freeLanes.length < lanes && waiting.length < Math.min(ENOUGH, most)) return;
      const batch = keysOf ? takeDistinct(waiting, most, keysOf) : waiting.splice(0, most);
      void runBatch(batch, freeLanes.shift() ?? 0);
    }
  }

  async function runBatch(batch: readonly Entry<Item, Result>[], lane: number): Promise<void> {
    running += batch.length;
    try {
      const results = await run(
        batch.map(({ item }) => item),
        lane,
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result instanceof Error) reject(result);
        else resolve(result as Result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    running -= batch.length;
    freeLanes.push(lane);
    if (running === 0 && waiting.length === 0) {
      empty?.resolve();
      empty = null;
    }
    plan();
  }

  return {
    add(item: Item): Promise<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      if (waiting.length >= MOST_WAITING) reject(new Overloaded(`${MOST_WAITING} others wait for the database server`));
      else {
        waiting.push({ item, resolve, reject });
        plan();
      }
      return promise;
    },
    /** Resolves when no item waits or runs. */
    async whenEmpty(): Promise<void> {
      if (running === 0 && waiting.length === 0) return;
      empty ??= Promise.withResolvers<void>();
      await empty.promise;
    },
  };
}

/** Removes the next batch from `waiting`. An entry that must wait also delays later entries with its keys. */
function takeDistinct<Item, Result>(
  waiting: Entry<Item, Result>[],
  most: number,
  keysOf: (item: Item) => readonly number[],
): Entry<Item, Result>[] {
  const taken = new Set<number>();
  const batch: Entry<Item, Result>[] = [];
  const rest: Entry<Item, Result>[] = [];
  for (const entry of waiting) {
    const keys = keysOf(entry.item);
    const isFree = batch.length < most && !keys.some((key) => taken.has(key));
    for (const key of keys) taken.add(key);
    (isFree ? batch : rest).push(entry);
  }
  waiting.splice(0, waiting.length, ...rest);
  return batch;
}
