/** How long a row is cached. For this time, other replicas still accept a revoked key. */
const RECENT_MS = 1000;

/** A cache with this many entries is emptied before the next one. */
const CAPACITY = 4000;

/**
 * A cache of rows that every request needs and that change rarely. Lookups at the same time share one read. Nothing tells what other
 * replicas have written, so a row is kept for a time. A missing row is not kept.
 */
export function createRecent<K, V>(stopwatch: () => number, read: (key: K) => Promise<V | null>) {
  const kept = new Map<K, { readonly atMs: number; readonly row: Promise<V | null> }>();
  return {
    find(key: K): Promise<V | null> {
      const atMs = stopwatch();
      const known = kept.get(key);
      if (known && atMs - known.atMs < RECENT_MS) return known.row;
      const entry = { atMs, row: read(key) };
      if (kept.size >= CAPACITY) kept.clear();
      kept.set(key, entry);
      const drop = () => {
        if (kept.get(key) === entry) kept.delete(key);
      };
      void entry.row.then((row) => row ?? drop(), drop);
      return entry.row;
    },
    forget: (key: K) => void kept.delete(key),
  };
}
