/** Lists that grow from the top as things happen, and stay bounded. */

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
