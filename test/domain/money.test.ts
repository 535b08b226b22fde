import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/domain/error.ts";
import { isAmount, parseAmount, roundToCents, toShillings } from "../../src/domain/money.ts";

const anyAmountCents = fc.integer({ min: 100, max: 99_999_999_999 });

describe("an amount is a number from 1, below 1e9, with at most two decimals", () => {
  test("every whole number of cents in that range is accepted, and shown as the same amount", () => {
    fc.assert(
      fc.property(anyAmountCents, (cents) => {
        const decimal = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
        expect<number>(parseAmount(Number(decimal))).toBe(cents);
        expect(toShillings(cents)).toBe(Number(decimal));
      }),
    );
  });

  test("a number is accepted exactly where two decimals are enough to write it", () => {
    const near = fc
      .tuple(anyAmountCents, fc.constantFrom(0, 1e-3, -1e-3, 1e-6, -1e-6, 0.005, 1e-9))
      .map(([cents, off]) => cents / 100 + off);
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.double({ min: 0, max: 2e9 }), near), (amount) => {
        const fits = amount >= 1 && amount < 1e9 && Number(amount.toFixed(2)) === amount;
        expect(isAmount(amount)).toBe(fits);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    [1, 100],
    [1.15, 115],
    [4.35, 435],
    [8.29, 829],
    [0.1 + 0.7 + 0.35, 115],
    [999_999_999.99, 99_999_999_999],
  ])("%p shillings are %p cents", (amount, cents) => {
    expect<number>(parseAmount(amount)).toBe(cents);
  });

  test.each([0, 0.99, 0.999999, -1, 1.001, 1.005, 1e9, 999_999_999.991, 1e21, Number.NaN, Infinity, -Infinity])(
    "%p is refused",
    (amount) => {
      expect(() => parseAmount(amount)).toThrow(Refusal);
      expect(() => parseAmount(amount)).toThrow("amount must be a number from 1 to 999999999.99");
    },
  );
});

test("a decimal is rounded half up to the cent, by its digits", () => {
  fc.assert(
    fc.property(fc.nat(2_000_000), fc.integer({ min: 0, max: 9999 }), (whole, fraction) => {
      const decimal = `${whole}.${String(fraction).padStart(4, "0")}`;
      expect(roundToCents(decimal)).toBe((whole * 100 + Math.floor((fraction + 50) / 100)) / 100);
    }),
  );
  expect([roundToCents("7"), roundToCents("1.005"), roundToCents("0.5")]).toEqual([7, 1.01, 0.5]);
});
