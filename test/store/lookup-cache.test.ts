import { beforeEach, expect, test } from "bun:test";
import { CAPACITY, createLookupCache, type LookupCache } from "../../src/store/sqlite/lookup-cache.ts";

let version: number;
let reads: number[];
let cache: LookupCache<number, string>;
beforeEach(() => {
  version = 1;
  reads = [];
  cache = createLookupCache({ enter: () => version, end: () => {} }, (key: number) => {
    reads.push(key);
    return key < 0 ? null : `row ${key}`;
  });
});

/** Finds all keys, and returns those that were read from the database. */
function readFor(...keys: number[]): number[] {
  reads = [];
  for (const key of keys) expect(cache.find(key)).toBe(key < 0 ? null : `row ${key}`);
  return reads;
}

test("a row is read once until it is written to; a missing row is read each time", () => {
  expect(readFor(1, 2, 1, 2, -1, -1)).toEqual([1, 2, -1, -1]);
  cache.forget(1);
  expect(readFor(1, 2)).toEqual([1]);
  cache.clear();
  expect(readFor(1, 2)).toEqual([1, 2]);
  version = 2; // another connection has written
  expect(readFor(1, 2, 1)).toEqual([1, 2]);
});

test("the cache keeps 16,000 rows, and one more evicts the oldest", () => {
  const keys = Array.from({ length: 16_000 }, (_, key) => key);
  expect(CAPACITY).toBe(keys.length);
  expect(readFor(...keys)).toEqual(keys);
  expect(readFor(...keys)).toEqual([]);
  expect(readFor(16_000, 16_000, 1, 0)).toEqual([16_000, 0]);
});
