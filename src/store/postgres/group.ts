import { Refusal } from "../../domain/error.ts";
import { isRefusedValue } from "./failures.ts";

export interface GroupOptions<Item, Result> {
  /** How long an item waits for its statement. */
  readonly waitMs: number;
  readonly stopwatch: () => number;
  /**
   * Runs one statement for all items.
   * @param lane from 0: no two statements of one lane run at once
   * @returns for each item its result, or the error that its caller gets
   */
  run(items: readonly Item[], lane: number): Promise<readonly (Result | Error)[]>;
}

/** How many statements run at once. */
const LANES = 2;

/** How many items one statement has at most. */
const MOST_ITEMS = 500;

/** The second lane starts when this many items wait: smaller batches cost more, and are not faster. */
const ENOUGH = 32;

interface Entry<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
  readonly addedMs: number;
}

/**
 * Combines the items of a turn of the event loop, or those that arrive while earlier statements run, into one statement. SQLite's
 * commit queue has other work: it runs functions, waits for the disk, and repeats them one by one.
 */
export function createGroup<Item, Result>({ waitMs, stopwatch, run }: GroupOptions<Item, Result>) {
  const waiting: Entry<Item, Result>[] = [];
  const running = new Map<number, Promise<void>>();
  let isPlanned = false;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(start);
  }

  function start(): void {
    isPlanned = false;
    refuseLate();
    for (let lane = 0; lane < LANES && waiting.length > 0; lane += 1) {
      if (running.size > 0 && waiting.length < ENOUGH) return;
      if (!running.has(lane)) running.set(lane, runBatch(waiting.splice(0, MOST_ITEMS), lane));
    }
  }

  function refuseLate(): void {
    const earliestMs = stopwatch() - waitMs;
    while (waiting[0] && waiting[0].addedMs < earliestMs) {
      const reason = `the database server was too busy for ${waitMs / 1000} s: try again later`;
      waiting.shift()?.reject(new Refusal("unavailable", reason));
    }
  }

  async function runBatch(batch: readonly Entry<Item, Result>[], lane: number): Promise<void> {
    await answer(batch, (items) => run(items, lane));
    running.delete(lane);
    plan();
  }

  return {
    add(item: Item): Promise<Result> {
      const entry = { item, addedMs: stopwatch(), ...Promise.withResolvers<Result>() };
      waiting.push(entry);
      plan();
      return entry.promise;
    },
    /** Resolves when no item waits or runs. */
    async whenEmpty(): Promise<void> {
      while (waiting.length + running.size > 0) {
        await (running.size > 0 ? Promise.race(running.values()) : nextTurn());
      }
    },
  };
}

const nextTurn = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

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
