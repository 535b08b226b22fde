import { isRefusedValue, Overloaded } from "./failures.ts";

export interface GroupOptions<Item, Result> {
  /** How many statements can run at once. */
  readonly lanes: number;
  /** How many items one statement has at most; by default 500. */
  readonly most?: number;
  /** How long an item waits for a lane. */
  readonly waitMs: number;
  readonly stopwatch: () => number;
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

interface Entry<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
  readonly addedMs: number;
}

/**
 * Combines the items of a turn of the event loop, or those that arrive while earlier statements run, into one statement. SQLite's
 * commit queue has other work: it runs functions, waits for the disk, and repeats them one by one.
 */
export function createGroup<Item, Result>(options: GroupOptions<Item, Result>) {
  const { lanes, most = MOST_ITEMS, waitMs, stopwatch, run } = options;
  const waiting: Entry<Item, Result>[] = [];
  const freeLanes = Array.from({ length: lanes }, (_, lane) => lane);
  let isPlanned = false;
  let empty: PromiseWithResolvers<void> | null = null;

  const isEmpty = () => freeLanes.length === lanes && waiting.length === 0;

  function plan(): void {
    if (isPlanned || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      start();
    });
  }

  function start(): void {
    refuseLate();
    while (waiting.length > 0) {
      if (freeLanes.length < lanes && waiting.length < Math.min(ENOUGH, most)) return;
      const lane = freeLanes.shift();
      if (lane === undefined) return;
      void runBatch(waiting.splice(0, most), lane);
    }
  }

  function refuseLate(): void {
    const earliestMs = stopwatch() - waitMs;
    while (waiting[0] && waiting[0].addedMs < earliestMs) {
      waiting.shift()?.reject(new Overloaded(`the database server was too busy for ${waitMs / 1000} s`));
    }
  }

  async function runBatch(batch: readonly Entry<Item, Result>[], lane: number): Promise<void> {
    await answer(batch, (items) => run(items, lane));
    freeLanes.push(lane);
    if (isEmpty()) {
      empty?.resolve();
      empty = null;
    }
    plan();
  }

  return {
    async add(item: Item): Promise<Result> {
      if (waiting.length >= MOST_WAITING) throw new Overloaded(`${MOST_WAITING} others wait for the database server`);
      const entry = { item, addedMs: stopwatch(), ...Promise.withResolvers<Result>() };
      waiting.push(entry);
      plan();
      return entry.promise;
    },
    /** Resolves when no item waits or runs. */
    async whenEmpty(): Promise<void> {
      if (isEmpty()) return;
      empty ??= Promise.withResolvers<void>();
      await empty.promise;
    },
  };
}

/** If the engine refuses one of the items, runs them one by one, so that it does not fail the others. */
async function answer<Item, Result>(
  batch: readonly Entry<Item, Result>[],
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (result instanceof Error) reject(result);
      else resolve(result as Result);
    }
  } catch (error) {
    if (isRefusedValue(error) && batch.length > 1) for (const entry of batch) await answer([entry], run);
    else for (const { reject } of batch) reject(error);
  }
}
