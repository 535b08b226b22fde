import type { TurnReads } from "./turn-reads.ts";

/** A cache with this many entries, of about a kilobyte each, evicts the oldest before the next one. */
export const CAPACITY = 16_000;

/** Caches rows that are read often and change rarely, until something writes to them. */
export interface LookupCache<K, V> {
  find(key: K): V | null;
  /** Call it after a write to this row. */
  forget(key: K): void;
  /** Call it after a write to many rows. */
  clear(): void;
}

/** @param read reads a row from the database; a missing row is not cached */
export function createLookupCache<K, V>(turnReads: TurnReads, read: (key: K) => V | null): LookupCache<K, V> {
  const kept = new Map<K, V>();
  let keptAt: number | undefined;

  return {
    find(key) {
      const version = turnReads.enter();
      if (version !== keptAt) kept.clear();
      keptAt = version;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = read(key);
      if (found === null) return null;
      if (kept.size === CAPACITY) kept.delete(kept.keys().next().value as K);
      kept.set(key, found);
      return found;
    },
    forget: (key) => kept.delete(key),
    clear: () => kept.clear(),
  };
}
