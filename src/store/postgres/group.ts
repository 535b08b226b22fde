import type { Attempts } from "./attempts.ts";

/** What is asked during a turn of the event loop, and while earlier statements are under way, goes into one statement. */
export interface Group<Item, Result> {
  add(item: Item): Promise<Result>;
  /** Resolves when nothing waits and nothing is under way. */
  whenEmpty(): Promise<void>;
  /** How many wait or are under way. */
  readonly size: number;
}

export interface GroupOptions<Item, Result> {
  readonly attempts: Attempts;
  /** How many statements can be under way at once; one while the engine does not answer. */
  readonly lanes: number;
  /** How many items one statement has at most; by default 500. */
  readonly most?: number;
  /** What an item writes to: items of one key are never under way at once, and keep their order. */
  readonly keysOf?: (item: Item) => readonly number[];
  /**
   * @param lane from 0: no two runs of one lane are under way at once
   * @returns for each item its result, or the error that its caller gets
   */
  run(items: readonly Item[], lane: number): Promise<readonly (Result | Error)[]>;
}

const MOST_ITEMS = 500;

/** A further lane is worth its statement when so many wait: smaller batches cost more, and are not faster. */
const ENOUGH = 32;

/** How many can wait. More would only fail later. */
const MOST_WAITING = 20_000;

interface Entry<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroup<Item, Result>(options: GroupOptions<Item, Result>): Group<Item, Result> {
  const { attempts, lanes, most = MOST_ITEMS, keysOf, run } = options;
  const waiting: Entry<Item, Result>[] = [];
  const freeLanes = Array.from({ length: lanes }, (_, lane) => lane);
  const keysUnderWay = new Set<number>();
  let [underWay, isPlanned] = [0, false];
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
      const batch = takeBatch(waiting, { most, keysOf, keysUnderWay });
      if (batch.length === 0) return;
      void runBatch(batch, freeLanes.shift() ?? 0);
    }
  }

  async function runBatch(batch: readonly Entry<Item, Result>[], lane: number): Promise<void> {
    underWay += batch.length;
    const items = batch.map(({ item }) => item);
    const keys = keysOf ? items.flatMap(keysOf) : [];
    for (const key of keys) keysUnderWay.add(key);
    try {
      const results = await run(items, lane);
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result instanceof Error) reject(result);
        else resolve(result as Result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay -= batch.length;
    for (const key of keys) keysUnderWay.delete(key);
    freeLanes.push(lane);
    if (underWay === 0 && waiting.length === 0) {
      empty?.resolve();
      empty = null;
    }
    plan();
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      if (waiting.length >= MOST_WAITING) reject(new Error(`${MOST_WAITING} others wait for the database server`));
      else {
        waiting.push({ item, resolve, reject });
        plan();
      }
      return promise;
    },
    async whenEmpty() {
      if (underWay === 0 && waiting.length === 0) return;
      empty ??= Promise.withResolvers<void>();
      await empty.promise;
    },
    get size() {
      return waiting.length + underWay;
    },
  };
}

interface Taking<Item> {
  readonly most: number;
  readonly keysOf: ((item: Item) => readonly number[]) | undefined;
  readonly keysUnderWay: ReadonlySet<number>;
}

/** Takes the next entries out of those that wait. An entry that must wait for another also holds up those after it. */
function takeBatch<Item, Result>(
  waiting: Entry<Item, Result>[],
  { most, keysOf, keysUnderWay }: Taking<Item>,
): Entry<Item, Result>[] {
  if (keysOf === undefined) return waiting.splice(0, most);
  const blocked = new Set(keysUnderWay);
  const batch: Entry<Item, Result>[] = [];
  const rest: Entry<Item, Result>[] = [];
  for (const entry of waiting) {
    const keys = keysOf(entry.item);
    const isFree = batch.length < most && !keys.some((key) => blocked.has(key));
    for (const key of keys) blocked.add(key);
    (isFree ? batch : rest).push(entry);
  }
  waiting.splice(0, waiting.length, ...rest);
  return batch;
}
