import type { Database } from "bun:sqlite";
import { onFirstUse } from "./on-first-use.ts";

/** Beyond this many entries a cache begins anew. */
const CAPACITY = 1000;

/** Rows that every request needs and that hardly ever change, kept for as long as nobody writes to them. */
export interface LookupCache<K, V> {
  find(key: K): V | null;
  /** After a write of our own to what is looked up. */
  clear(): void;
}

/**
 * @param othersVersion from {@link watchOthers}
 * @param look finds a row in the database; what it does not find is not kept
 */
export function createLookupCache<K, V>(othersVersion: () => number, look: (key: K) => V | null): LookupCache<K, V> {
  const kept = new Map<K, V>();
  let keptAt: number | undefined;

  return {
    find(key) {
      const version = othersVersion();
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

/**
 * A number that changes when another connection, a command beside the server, has written. SQLite is asked once in a turn of the
 * event loop: requests that one turn handles had all arrived before it began, so each sees at least what was there when it came.
 */
export function watchOthers(client: Database): () => number {
  const dataVersion = onFirstUse(() => client.query<{ data_version: number }, []>("PRAGMA data_version"));
  let version: number | undefined;
  const forget = () => {
    version = undefined;
  };
  return () => {
    if (version === undefined) {
      version = dataVersion().get()?.data_version ?? 0;
      setImmediate(forget);
    }
    return version;
  };
}
