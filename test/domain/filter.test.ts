import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_PAGE, foldCase, MAX_PAGE_LIMIT } from "../../src/domain/filter.ts";

describe("text is compared without its letter case", () => {
  test.each([
    ["order-1", "ORDER-1", true],
    ["É", "é", true],
    ["straße", "STRASSE", true],
    ["ΟΔΟΣ", "οδος", true],
    ["ΟΔΟΣ", "οδοσ", true],
    ["e", "é", false],
    ["1", "l", false],
  ])("%s and %s are the same: %p", (a, b, areSame) => {
    expect(foldCase(a) === foldCase(b)).toBe(areSame);
  });

  test("the start of a text folds like the start of its folded form", () => {
    const anyCharacter = fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)).map((code) => String.fromCodePoint(code));
    fc.assert(
      fc.property(fc.array(anyCharacter), fc.array(anyCharacter), (start, rest) => {
        expect(foldCase([...start, ...rest].join(""))).toStartWith(foldCase(start.join("")));
      }),
      { numRuns: 1000 },
    );
  });
});

test("by default the page is 1 and the limit 10; the limit is at most 100 (§8)", () => {
  expect(DEFAULT_PAGE).toEqual({ number: 1, limit: 10 });
  expect(MAX_PAGE_LIMIT).toBe(100);
});
