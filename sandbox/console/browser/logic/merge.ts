/** Lists that grow as things happen, and stay bounded. */

interface Numbered {
  readonly id: number;
}

/** The place of an id in a list that is sorted newest first; where it is not there, the place where it would be. */
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
 * Puts what arrived in its place among rows that are sorted newest first: a row of the same id is replaced. It costs little
 * where few arrive, however many rows there are.
 * @param most beyond it the oldest are left out
 */
export function mergeNewestFirst<T extends Numbered>(rows: readonly T[], arrived: readonly T[], most: number): T[] {
  const merged = rows.slice();
  const added = new Map<number, T>();
  for (const row of arrived) {
    const place = placeOf(rows, row.id);
    if (rows[place]?.id === row.id) merged[place] = row;
    else added.set(row.id, row);
  }
  if (added.size > 0) {
    const fresh = [...added.values()].sort((a, b) => b.id - a.id);
    const isAllNewer = (fresh.at(-1)?.id ?? 0) > (rows[0]?.id ?? Number.NEGATIVE_INFINITY);
    merged.unshift(...fresh);
    if (!isAllNewer) merged.sort((a, b) => b.id - a.id);
  }
  return merged.length > most ? merged.slice(0, most) : merged;
}

/**
 * Puts calls that arrived behind those that are known, oldest first. After a reconnect the server sends some again: what is known
 * already is left out.
 * @param most beyond it the oldest are left out
 */
export function appendUnknown<T extends Numbered>(known: readonly T[], arrived: readonly T[], most: number): T[] {
  const lastId = known.at(-1)?.id ?? Number.NEGATIVE_INFINITY;
  return [...known, ...arrived.filter(({ id }) => id > lastId)].slice(-most);
}
