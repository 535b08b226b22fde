import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/domain/error.ts";
import { DEFAULT_TARIFF, feeCents, formatTariff, parseTariff } from "../../src/domain/fee.ts";
import type { AmountCents } from "../../src/domain/money.ts";

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

  test.each([
    [149, 1],
    [150, 2],
    [249, 2],
    [250, 3],
    [99_999_999_999, 1_000_000_000],
  ])("1 %% of %p cents, the default, is %p", (amount, fee) => {
    expect(feeCents(DEFAULT_TARIFF, cents(amount))).toBe(fee);
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
