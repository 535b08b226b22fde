/**
 * Finds the rows of a page without reading the rows before it, from counts by blocks of numbers. Numbers mostly rise with time, so
 * whole blocks can be skipped. If a clock went back, blocks overlap in time, and the rows are searched in all of these blocks.
 * The functions are generators: they yield after each block that they read, where they can be interrupted.
 */

/** A row's place in the list: by time and then by number, newest first. */
export interface Key {
  readonly atMs: number;
  readonly id: number;
}

/** How many rows a block has, and between which times they were created. */
export interface Block {
  readonly block: number;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The source of blocks of one size. */
export interface Blocks {
  readonly bits: number;
  /** The next smaller blocks in a stretch of these, newest numbers first; null if these are the smallest. */
  readonly smaller: ((first: number, last: number) => { readonly list: Block[]; readonly blocks: Blocks }) | null;
  /** The rows of one block, newest first. */
  keysOf(block: number): Key[];
  /** The page has only rows between these times. A block can have other rows, and counts them, too. */
  readonly fromMs: number;
  readonly beforeMs: number;
}

/** Skips `skip` rows, newest first, and picks up to `limit` of the next ones. */
export function* pick(
  blocks: Blocks,
  list: readonly Block[],
  skip: number,
  limit: number,
): Generator<undefined, { readonly keys: Key[]; readonly skipped: number }> {
  const keys: Key[] = [];
  let skipped = 0;
  for (const stretch of stretchesOf(list)) {
    if (keys.length === limit) break;
    const isWhole = stretch.every((block) => isWithin(blocks, block));
    const count = stretch.reduce((sum, block) => sum + block.count, 0);
    if (isWhole && skipped + count <= skip) {
      skipped += count;
      continue;
    }
    const [first, last] = [stretch.at(-1)?.block ?? 0, stretch[0]?.block ?? 0];
    const smaller = blocks.smaller?.(first, last);
    const picked = smaller
      ? yield* pick(smaller.blocks, smaller.list, skip - skipped, limit - keys.length)
      : yield* pickAmong(blocks, stretch, skip - skipped, limit - keys.length);
    skipped += picked.skipped;
    keys.push(...picked.keys);
  }
  return { keys, skipped };
}

const isWithin = ({ fromMs, beforeMs }: Blocks, { firstMs, lastMs }: Block) => firstMs >= fromMs && lastMs < beforeMs;

/** Consecutive blocks that overlap in time make one stretch; all rows of a stretch come before all rows of the next. */
function stretchesOf(list: readonly Block[]): Block[][] {
  /** The latest time in this block or any after it. */
  const latest: number[] = [];
  for (let index = list.length - 1; index >= 0; index -= 1) {
    latest[index] = Math.max(list[index]?.lastMs ?? 0, latest[index + 1] ?? 0);
  }
  const stretches: Block[][] = [];
  let earliest = 0;
  for (const [index, block] of list.entries()) {
    const current = stretches.at(-1);
    // At equal times the greater number comes first, and that is in the block before.
    if (!current || earliest >= (latest[index] ?? 0)) {
      stretches.push([block]);
      earliest = block.firstMs;
    } else {
      current.push(block);
      earliest = Math.min(earliest, block.firstMs);
    }
  }
  return stretches;
}

export const newestFirst = (a: Key, b: Key) => b.atMs - a.atMs || b.id - a.id;

/** Picks rows from blocks of the smallest size that overlap in time. It reads only the blocks that it needs. */
function* pickAmong(
  blocks: Blocks,
  stretch: readonly Block[],
  skip: number,
  limit: number,
): Generator<undefined, { readonly keys: Key[]; readonly skipped: number }> {
  const read = new Map<number, Key[]>();
  function* keysOf({ block }: Block): Generator<undefined, Key[]> {
    const known = read.get(block);
    if (known) return known;
    const keys = blocks.keysOf(block);
    read.set(block, keys);
    yield;
    return keys;
  }

  if (stretch.length === 1 && stretch[0]) {
    const keys = yield* keysOf(stretch[0]);
    return { keys: keys.slice(skip, skip + limit), skipped: Math.min(skip, keys.length) };
  }

  const oldestOf = ({ block, firstMs }: Block): Key => ({ atMs: firstMs, id: block * 2 ** blocks.bits });
  const newestOf = ({ block, lastMs }: Block): Key => ({ atMs: lastMs, id: (block + 1) * 2 ** blocks.bits - 1 });

  /** How many rows are at this place of the list or before it. */
  function* countTo(place: Key): Generator<undefined, number> {
    let count = 0;
    for (const block of stretch) {
      if (newestFirst(newestOf(block), place) > 0) continue;
      const isAll = isWithin(blocks, block) && newestFirst(oldestOf(block), place) <= 0;
      count += isAll ? block.count : (yield* keysOf(block)).filter((key) => newestFirst(key, place) <= 0).length;
    }
    return count;
  }

  /** The greatest whole number from `least` to `most` for which more than `rank` rows are counted. */
  function* search(
    rank: number,
    least: number,
    most: number,
    placeOf: (value: number) => Key,
  ): Generator<undefined, number> {
    let [low, high] = [least, most];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((yield* countTo(placeOf(middle))) > rank) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const firstMs = Math.min(...stretch.map((block) => block.firstMs));
  const lastMs = Math.max(...stretch.map((block) => block.lastMs));
  const lastId = newestOf(stretch[0] as Block).id;

  /** The place of the row with `rank` rows before it. */
  function* placeAt(rank: number): Generator<undefined, Key> {
    const atMs = yield* search(rank, firstMs, lastMs, (value) => ({ atMs: value, id: 0 }));
    return { atMs, id: yield* search(rank, 0, lastId, (id) => ({ atMs, id })) };
  }

  const total = yield* countTo({ atMs: firstMs, id: 0 });
  if (total <= skip) return { keys: [], skipped: total };
  const [from, to] = [yield* placeAt(skip), yield* placeAt(Math.min(skip + limit, total) - 1)];
  const keys: Key[] = [];
  for (const block of stretch) {
    if (newestFirst(newestOf(block), to) > 0 || newestFirst(oldestOf(block), from) < 0) continue;
    for (const key of yield* keysOf(block)) {
      if (newestFirst(key, from) >= 0 && newestFirst(key, to) <= 0) keys.push(key);
    }
  }
  return { keys: keys.sort(newestFirst), skipped: skip };
}
