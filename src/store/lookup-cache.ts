import type { Snapshot } from "./snapshot.ts";

/** Beyond this many entries a cache begins anew. */
const CAPACITY = 1000;

/** Rows that every request needs and that hardly ever change, kept for as long as nobody writes to them. */
export interface LookupCache<K, V> {
  find(key: K): V | null;
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
      if (version !== keptAt || kept.size >= CAPACITY) kept.clear();
      keptAt = version;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = look(key);
      if (found !== null) kept.set(key, found);
      return found;
    },
    clear: () => kept.clear(),
  };
}
