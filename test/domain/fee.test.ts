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
  test("it is that of exact arithmetic for every amount and tariff", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 99_999_999_999 }), anyTariff, (amount, tariff) => {
        const exact =
          (BigInt(amount) * BigInt(tariff.basisPoints) * 2n + 10_000n) / 20_000n + BigInt(tariff.fixedCents);
        expect(BigInt(feeCents(tariff, cents(amount)))).toBe(exact);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [149, 1],
    [150, 2],
    [151, 2],
    [249, 2],
    [250, 3],
    [100, 1],
    [99_999_999_999, 1_000_000_000],
  ])("1 %% of %p cents is %p", (amount, fee) => {
    expect(feeCents(DEFAULT_TARIFF, cents(amount))).toBe(fee);
  });

  test("the default is 1 % and nothing fixed", () => {
    expect(DEFAULT_TARIFF).toEqual({ basisPoints: 100, fixedCents: 0 });
  });

  test("the fixed part is added after the rounding", () => {
    expect(feeCents({ basisPoints: 1, fixedCents: 5 }, cents(5000))).toBe(6);
    expect(feeCents({ basisPoints: 1, fixedCents: 5 }, cents(4999))).toBe(5);
  });
});

describe("a tariff is written as a percentage, an amount in KES or both", () => {
  test.each([
    ["1%", 100, 0],
    ["10", 0, 1000],
    ["1.5%+10", 150, 1000],
    ["1.5% + 10", 150, 1000],
    ["0%", 0, 0],
    ["0", 0, 0],
    ["100%", 10_000, 0],
    ["0.01%", 1, 0],
    ["1.15%+0.29", 115, 29],
    ["0.29%", 29, 0],
    ["1000000", 0, 100_000_000],
  ])("%p", (text, basisPoints, fixedCents) => {
    expect(parseTariff(text, "--fee")).toEqual({ basisPoints, fixedCents });
  });

  test.each([
    "",
    " ",
    "%",
    "+10",
    "1%+",
    "1%10",
    "1%+10%",
    "10+1%",
    "100.01%",
    "101%",
    "1000000.01",
    "1.005%",
    "1.001",
    "-1%",
    "1e1",
    "1,5%",
    ".5%",
    "1.%",
    "1%\n",
    "١%",
    "NaN",
    "0x10",
  ])("%p is refused", (text) => {
    expect(() => parseTariff(text, "--fee")).toThrow(Refusal);
    expect(() => parseTariff(text, "--fee")).toThrow("--fee is not a tariff");
  });

  test("every tariff that is written is read as the same", () => {
    fc.assert(
      fc.property(anyTariff, (tariff) => {
        expect(parseTariff(formatTariff(tariff), "fee")).toEqual(tariff);
      }),
      { numRuns: 1000 },
    );
  });

  test("it is written without what is nothing", () => {
    expect(formatTariff({ basisPoints: 100, fixedCents: 0 })).toBe("1%");
    expect(formatTariff({ basisPoints: 0, fixedCents: 1050 })).toBe("10.5");
    expect(formatTariff({ basisPoints: 150, fixedCents: 1000 })).toBe("1.5%+10");
    expect(formatTariff({ basisPoints: 0, fixedCents: 0 })).toBe("0%");
  });
});
