import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_PAGE, foldCase, MAX_PAGE_LIMIT } from "../../src/domain/filter.ts";

describe("text is compared without its letter case", () => {
  test.each([
    ["order-1", "ORDER-1"],
    ["É", "é"],
    ["ũ", "Ũ"],
    ["straße", "STRASSE"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ", "οδοσ"],
  ])("%s and %s are the same", (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  test.each([
    ["e", "é"],
    ["a", "b"],
    ["1", "l"],
  ])("%s and %s are not", (a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  test("the start of a text folds like the start of its folded form", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 1 })), fc.nat(), (characters, cut) => {
        const start = characters.slice(0, cut % (characters.length + 1)).join("");
        expect(foldCase(characters.join("")).startsWith(foldCase(start))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

test("the page is 1 and the limit 10 where nobody says otherwise, and 100 is the most (§8)", () => {
  expect(DEFAULT_PAGE).toEqual({ number: 1, limit: 10 });
  expect(MAX_PAGE_LIMIT).toBe(100);
});
