import type { ReadSnapshot } from "./read-snapshot.ts";

/**
 * A cache has this many entries at most, of about a kilobyte each. When it is full, the older half goes at once: a Map searches its
 * oldest entry behind all that were removed, which takes microseconds for each.
 */
export const CAPACITY = 16_000;

export interface LookupCache<K, V> {
  find(key: K): V | null;
  /** Call it after a write to this row. */
  forget(key: K): void;
  readonly clear: () => void;
}

/** Caches rows that are read often and change rarely, until something writes to them: a poll takes a third less. A missing row is not kept. */
export function createLookupCache<K, V>(readSnapshot: ReadSnapshot, read: (key: K) => V | null): LookupCache<K, V> {
  let kept = new Map<K, V>();
  let older = new Map<K, V>();
  let keptAt: number | undefined;

  function keep(key: K, value: V): void {
    if (kept.size === CAPACITY / 2) {
      older = kept;
      kept = new Map();
    }
    kept.set(key, value);
  }

  /** Call it after a write to many rows. */
  function clear(): void {
    kept.clear();
    older.clear();
  }

  return {
    find(key: K): V | null {
      const version = readSnapshot.open();
      if (version !== keptAt) clear();
      keptAt = version;
      const known = kept.get(key) ?? older.get(key);
      if (known !== undefined) return known;
      const found = read(key);
      if (found !== null) keep(key, found);
      return found;
    },
    forget(key: K): void {
      kept.delete(key);
      older.delete(key);
    },
    clear,
  };
}
