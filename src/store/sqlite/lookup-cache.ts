import type { Snapshot } from "./snapshot.ts";

/** Beyond this many entries, of about a kilobyte each, a cache begins anew. */
export const CAPACITY = 4000;

/** Rows that are asked for again and again and seldom change, kept for as long as nobody writes to them. */
export interface LookupCache<K, V> {
  find(key: K): V | null;
  /** After a write of our own to the one row. */
  forget(key: K): void;
  /** After a write of our own to what is looked up. */
  clear(): void;
}

/** @param look finds a row in the database; what it does not find is not kept */
export function createLookupCache<K, V>(snapshot: Snapshot, look: (key: K) => V | null): LookupCache<K, V> {
  const kept = new Map<K, V>();
  let keptAt: number | undefined;

  return {
    find(key) {
      const version = snapshot.enter();
      if (version !== keptAt) kept.clear();
      keptAt = version;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = look(key);
      if (found === null) return null;
      if (kept.size === CAPACITY) kept.clear();
      kept.set(key, found);
      return found;
    },
    forget: (key) => kept.delete(key),
    clear: () => kept.clear(),
  };
}
