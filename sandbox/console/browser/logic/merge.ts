/** Lists that grow with events, newest first, within a bound. */

export interface Listed {
  readonly id: number;
  readonly created_at?: string;
}

/** In the order of the server: by time, then by id. Replicas that share a store do not give ids in the order of time. */
export function isNewer(one: Listed, other: Listed): boolean {
  const [time = "", otherTime = ""] = [one.created_at, other.created_at];
  return time === otherTime ? one.id > other.id : time > otherTime;
}

/** The index of a row, or the index at which to insert it. */
function placeOf(rows: readonly Listed[], row: Listed): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isNewer(rows[middle] ?? row, row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const has = (rows: readonly Listed[], row: Listed): boolean => rows[placeOf(rows, row)]?.id === row.id;

/**
 * Merges rows into a list. A row with the same id is replaced.
 * @param most the bound: beyond it, the oldest rows are dropped
 */
export function mergeNewestFirst<T extends Listed>(rows: readonly T[], arrived: readonly T[], most: number): T[] {
  const merged = rows.slice();
  for (const row of arrived) merged.splice(placeOf(merged, row), has(merged, row) ? 1 : 0, row);
  return merged.slice(0, most);
}
