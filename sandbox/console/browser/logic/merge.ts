/** Lists that grow as things happen, and stay bounded. */

interface Numbered {
  readonly id: number;
}

/**
 * Puts what arrived in its place among rows that are sorted newest first: a row of the same id is replaced.
 * @param most beyond it the oldest are left out
 */
export function mergeNewestFirst<T extends Numbered>(rows: readonly T[], arrived: readonly T[], most: number): T[] {
  const latest = new Map(arrived.map((row) => [row.id, row]));
  const kept = rows.map((row) => {
    const replacement = latest.get(row.id);
    latest.delete(row.id);
    return replacement ?? row;
  });
  const added = [...latest.values()].sort((a, b) => b.id - a.id);
  const newest = kept[0]?.id ?? Number.NEGATIVE_INFINITY;
  const isAllNewer = (added.at(-1)?.id ?? Number.POSITIVE_INFINITY) > newest;
  const merged = isAllNewer ? [...added, ...kept] : [...added, ...kept].sort((a, b) => b.id - a.id);
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
