/** Lists that grow with events, within a bound. */

interface Numbered {
  readonly id: number;
}

/** The index of an id in a list that is sorted newest first, or the index at which to insert it. */
export function placeOf(rows: readonly Numbered[], id: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.id ?? 0) > id) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const has = (rows: readonly Numbered[], id: number): boolean => rows[placeOf(rows, id)]?.id === id;

/**
 * Merges new rows into rows that are sorted newest first. A row with the same id is replaced.
 * @param most the bound: beyond it, the oldest rows are dropped
 */
export function mergeNewestFirst<T extends Numbered>(rows: readonly T[], arrived: readonly T[], most: number): T[] {
  const merged = rows.slice();
  for (const row of arrived) merged.splice(placeOf(merged, row.id), has(merged, row.id) ? 1 : 0, row);
  return merged.slice(0, most);
}

/**
 * Appends new requests, oldest first. After a reconnect the server repeats some; known ones are skipped.
 * @param most the bound: beyond it, the oldest requests are dropped
 */
export function appendUnknown<T extends Numbered>(known: readonly T[], arrived: readonly T[], most: number): T[] {
  const lastId = known.at(-1)?.id ?? Number.NEGATIVE_INFINITY;
  return [...known, ...arrived.filter(({ id }) => id > lastId)].slice(-most);
}
