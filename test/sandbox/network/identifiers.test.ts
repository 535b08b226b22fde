import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkoutRequestId, merchantRequestId, receiptNumber } from "../../../sandbox/network/identifiers.ts";
import { formatTimestamp } from "../../../src/domain/timestamp.ts";
import { seededRandom } from "../../support/random.ts";

/** 2 October 2026, 18:11:09 in Nairobi. */
const AT_MS = Date.UTC(2026, 9, 2, 15, 11, 9);
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The date that the first three characters of a receipt number tell. */
function dateOf(receipt: string): string {
  const year = 2006 + receipt.charCodeAt(0) - "A".charCodeAt(0);
  const month = receipt.charCodeAt(1) - "A".charCodeAt(0) + 1;
  const day = ALPHANUMERIC.indexOf(receipt[2] ?? "");
  const two = (value: number) => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}`;
}

describe("a receipt number is 10 characters [0-9A-Z]: year, month, day and seven without a meaning", () => {
  test("that of 2 October 2026 starts with UJ2", () => {
    expect(receiptNumber(AT_MS, 1)).toMatch(/^UJ2[0-9A-Z]{7}$/);
  });

  test.each([
    [Date.UTC(2026, 0, 1, 12), "UA1"],
    [Date.UTC(2026, 11, 31, 12), "ULV"],
    [Date.UTC(2026, 4, 9, 12), "UE9"],
    [Date.UTC(2026, 4, 10, 12), "UEA"],
    [Date.UTC(2024, 1, 29, 12), "SBT"],
    [Date.UTC(2031, 11, 31, 12), "ZLV"],
    [Date.UTC(2006, 0, 1, 12), "AA1"],
  ])("at %p it starts with %s", (atMs, start) => {
    expect(receiptNumber(atMs, 42)).toStartWith(start);
  });

  test("around midnight the date is Nairobi's", () => {
    const midnight = Date.UTC(2026, 9, 2, 21);
    expect(receiptNumber(midnight - 1, 5)).toStartWith("UJ2");
    expect(receiptNumber(midnight, 5)).toStartWith("UJ3");
    const newYear = Date.UTC(2026, 11, 31, 21);
    expect(receiptNumber(newYear - 1, 5)).toStartWith("ULV");
    expect(receiptNumber(newYear, 5)).toStartWith("VA1");
  });

  test("it tells the Nairobi date of every instant until the letters end", () => {
    const anyInstant = fc.integer({ min: Date.UTC(2006, 0, 1), max: Date.UTC(2031, 11, 31, 20, 59, 59, 999) });
    fc.assert(
      fc.property(anyInstant, fc.nat(), (atMs, serial) => {
        const receipt = receiptNumber(atMs, serial);
        expect(receipt).toMatch(/^[A-Z][A-L][1-9A-V][0-9A-Z]{7}$/);
        expect(dateOf(receipt)).toBe(formatTimestamp(atMs).slice(0, 10));
      }),
    );
  });

  test("after 2031 it keeps its shape", () => {
    expect(receiptNumber(Date.UTC(2032, 5, 5), 1)).toMatch(/^[A-Z][A-L][1-9A-V][0-9A-Z]{7}$/);
  });

  test("no two of 100,000 on one day are alike", () => {
    const receipts = new Set<string>();
    for (let serial = 1; serial <= 100_000; serial++) receipts.add(receiptNumber(AT_MS, serial));
    expect(receipts.size).toBe(100_000);
  });

  test("receipts that follow one another begin alike, and look unordered", () => {
    const endings = Array.from({ length: 500 }, (_, index) => receiptNumber(AT_MS, 12_345 + index).slice(3));
    expect(new Set(endings.map((ending) => ending.slice(0, 2))).size).toBeLessThan(25);
    expect(new Set(endings.map((ending) => ending.slice(2))).size).toBe(500);
  });

  test("serials that lie a half, a third or any such part of the whole space apart end differently", () => {
    const parts = [1, 2, 3, 4, 6, 9, 12, 18, 36, 36 ** 2, 36 ** 3, 36 ** 6];
    const endings = new Set(parts.map((part) => receiptNumber(AT_MS, (36 ** 7 / part) % 36 ** 7)));
    expect(endings.size).toBe(parts.length);
  });

  test("different serials end differently, however far apart", () => {
    const serial = fc.integer({ min: 0, max: 36 ** 7 - 1 });
    fc.assert(
      fc.property(serial, serial, (a, b) => {
        expect(receiptNumber(AT_MS, a) === receiptNumber(AT_MS, b)).toBe(a === b);
      }),
    );
  });
});

describe("the identifiers of a push", () => {
  test("ws_CO_<timestamp>_<token> and ws_MR_<timestamp>_<token>, in Nairobi time", () => {
    const random = seededRandom(1);
    expect(checkoutRequestId(AT_MS, random)).toMatch(/^ws_CO_02102026181109_[0-9A-HJKMNP-TV-Z]{12}$/);
    expect(merchantRequestId(AT_MS, random)).toMatch(/^ws_MR_02102026181109_[0-9A-HJKMNP-TV-Z]{12}$/);
  });

  test("just after midnight in Nairobi they show the new day", () => {
    expect(checkoutRequestId(Date.UTC(2026, 11, 31, 21, 0, 5), seededRandom(1))).toStartWith("ws_CO_01012027000005_");
  });

  test("no two of 20,000 in one second are alike", () => {
    const random = seededRandom(2);
    const ids = new Set<string>();
    for (let count = 0; count < 10_000; count++) {
      ids.add(checkoutRequestId(AT_MS, random));
      ids.add(merchantRequestId(AT_MS, random));
    }
    expect(ids.size).toBe(20_000);
  });
});
