import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/domain/error.ts";
import { AMOUNT_LIMIT, isAmount, MIN_AMOUNT, parseAmount, toShillings } from "../../src/domain/money.ts";

const anyAmountCents = fc.integer({ min: 100, max: 99_999_999_999 });

describe("an amount is a number, finite, from 1, at most two decimals, below 1e9", () => {
  test("every whole number of cents in that range is accepted and kept as it is", () => {
    fc.assert(
      fc.property(anyAmountCents, (cents) => {
        expect<number>(parseAmount(Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`))).toBe(
          cents,
        );
      }),
    );
  });

  test("a number is accepted exactly when writing it with two decimals loses nothing", () => {
    const near = fc
      .tuple(anyAmountCents, fc.constantFrom(0, 1e-3, -1e-3, 1e-6, -1e-6, 0.005, 1e-9))
      .map(([cents, off]) => cents / 100 + off);
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.double({ min: 0, max: 2e9 }), near), (amount) => {
        const fits = amount >= 1 && amount < 1e9 && Number(amount.toFixed(2)) === amount;
        expect(isAmount(amount)).toBe(fits);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [1, 100],
    [1.1, 110],
    [1.15, 115],
    [4.35, 435],
    [1.01, 101],
    [8.29, 829],
    [250_000, 25_000_000],
    [0.1 + 0.7 + 0.35, 115],
    [999_999_999.99, 99_999_999_999],
  ])("%p shillings are %p cents", (amount, cents) => {
    expect<number>(parseAmount(amount)).toBe(cents);
  });

  test.each([
    0,
    -0,
    0.99,
    0.999999,
    -1,
    1.001,
    1.005,
    0.1 + 1.1 + 0.1000001,
    1e9,
    999_999_999.991,
    1e21,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])("%p is refused", (amount) => {
    expect(isAmount(amount)).toBe(false);
    expect(() => parseAmount(amount)).toThrow(Refusal);
  });

  test("the refusal names the member, the least, the greatest and the decimals", () => {
    expect(() => parseAmount(0)).toThrow("amount must be a number from 1 to 999999999.99 with at most two decimals");
  });

  test("the bounds are those of the specification (§8) and docs/api.md", () => {
    expect([MIN_AMOUNT, AMOUNT_LIMIT]).toEqual([1, 1_000_000_000]);
  });
});

test("cents shown as shillings are read as the same cents", () => {
  fc.assert(
    fc.property(anyAmountCents, (cents) => {
      expect<number>(parseAmount(toShillings(cents))).toBe(cents);
      expect(toShillings(cents).toString()).toMatch(/^[0-9]+(\.[0-9]{1,2})?$/);
    }),
  );
});
