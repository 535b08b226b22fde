import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/domain/error.ts";
import {
  type AmountCents,
  DEFAULT_TARIFF,
  feeCents,
  formatTariff,
  isAmount,
  parseAmount,
  parseTariff,
  roundToCents,
  toShillings,
} from "../../src/domain/money.ts";

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

  test("the nearest number to whole cents counts", () => {
    expect<number[]>([1, 1.15, 4.35, 8.29, 0.1 + 0.7 + 0.35].map(parseAmount)).toEqual([100, 115, 435, 829, 115]);
  });

  test.each([0.999999, 1.005, 1e9, 1e21, Number.NaN, Infinity, -Infinity])("%p is refused", (amount) => {
    expect(() => parseAmount(amount)).toThrow(Refusal);
  });
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

const cents = (amount: number) => amount as AmountCents;
const anyTariff = fc.record({
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  fixedCents: fc.integer({ min: 0, max: 100_000_000 }),
});

describe("the fee is percent + fixed, half up to the cent", () => {
  test("equals exact arithmetic for every amount and tariff", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 99_999_999_999 }), anyTariff, (amount, tariff) => {
        const exact =
          (BigInt(amount) * BigInt(tariff.basisPoints) * 2n + 10_000n) / 20_000n + BigInt(tariff.fixedCents);
        expect(BigInt(feeCents(tariff, cents(amount)))).toBe(exact);
      }),
      { numRuns: 1000 },
    );
  });

  test("the default is 1 %", () => {
    const fees = [149, 150, 249, 250, 99_999_999_999].map((amount) => feeCents(DEFAULT_TARIFF, cents(amount)));
    expect(fees).toEqual([1, 2, 2, 3, 1_000_000_000]);
  });
});

describe("a tariff is a percentage, an amount in KES or both", () => {
  test.each([
    ["1%", 100, 0],
    ["10", 0, 1000],
    ["1.5% + 10", 150, 1000],
    ["0", 0, 0],
    ["100%", 10_000, 0],
    ["0.01%", 1, 0],
    ["1.15%+0.29", 115, 29],
    ["1000000", 0, 100_000_000],
  ])("%s", (text, basisPoints, fixedCents) => {
    expect(parseTariff(text, "--fee")).toEqual({ basisPoints, fixedCents });
  });

  const REFUSED = ["", " ", "%", "+10", "1%+", "1%10", "1%+10%", "10+1%", "-1%", "1e1", "1,5%", ".5%", "1.%", "1%\n"];
  const TOO_MUCH = ["100.01%", "1000000.01", "1.005%", "1.001", "١%", "NaN", "0x10"];
  test.each([...REFUSED, ...TOO_MUCH])("%j is refused", (text) => {
    expect(() => parseTariff(text, "--fee")).toThrow(Refusal);
    expect(() => parseTariff(text, "--fee")).toThrow("--fee is not a tariff");
  });

  test("every tariff that is written is read as the same", () => {
    fc.assert(
      fc.property(anyTariff, (tariff) => {
        expect(parseTariff(formatTariff(tariff), "fee")).toEqual(tariff);
      }),
    );
  });

  test.each([
    [100, 0, "1%"],
    [0, 1050, "10.5"],
    [150, 1000, "1.5%+10"],
    [0, 0, "0%"],
  ])("%p basis points and %p cents are written as %s", (basisPoints, fixedCents, text) => {
    expect(formatTariff({ basisPoints, fixedCents })).toBe(text);
  });
});
