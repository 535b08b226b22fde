import { beforeEach, expect, test } from "bun:test";
import { CAPACITY, createLookupCache, type LookupCache } from "../../src/store/sqlite/lookup-cache.ts";

let version: number;
let looked: number[];
let cache: LookupCache<number, string>;
beforeEach(() => {
  version = 1;
  looked = [];
  cache = createLookupCache({ enter: () => version, end: () => {} }, (key: number) => {
    looked.push(key);
    return key < 0 ? null : `row ${key}`;
  });
});

/** The keys that had to be read, and not from memory. */
function readFor(...keys: number[]): number[] {
  looked = [];
  for (const key of keys) expect(cache.find(key)).toBe(key < 0 ? null : `row ${key}`);
  return looked;
}

test("a row is read once, until somebody writes to it; what is not there is looked for each time", () => {
  expect(readFor(1, 2, 1, 2, -1, -1)).toEqual([1, 2, -1, -1]);
  cache.forget(1);
  expect(readFor(1, 2)).toEqual([1]);
  cache.clear();
  expect(readFor(1, 2)).toEqual([1, 2]);
  version = 2; // another connection has written
  expect(readFor(1, 2, 1)).toEqual([1, 2]);
});

test("4,000 are kept, each found again; with one more it begins anew", () => {
  const keys = Array.from({ length: 4000 }, (_, key) => key);
  expect(CAPACITY).toBe(keys.length);
  expect(readFor(...keys)).toEqual(keys);
  expect(readFor(...keys)).toEqual([]);
  expect(readFor(4000, 4000, 0)).toEqual([4000, 0]);
});
