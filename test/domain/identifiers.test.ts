import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  createRequestIds,
  MAX_NUMBER,
  numberOfCode,
  numberOfReceipt,
  receiptNumber,
  secretOf,
  transactionCode,
} from "../../src/domain/identifiers.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { seededRandom } from "../support/random.ts";

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

  test("receipts that follow one another look unordered", () => {
    const endings = Array.from({ length: 500 }, (_, index) => receiptNumber(AT_MS, 12_345 + index).slice(5));
    expect(new Set(endings).size).toBe(500);
    expect(endings.toSorted()).not.toEqual(endings);
  });
});

const anyNumber = fc.integer({ min: 1, max: MAX_NUMBER });

describe("an identifier leads back to its number, in any letter case", () => {
  const ids = createRequestIds(seededRandom(7).bytes(32));

  test("request ids, transaction codes and receipt numbers", () => {
    const anyInstant = fc.integer({ min: Date.UTC(2006, 0, 1), max: Date.UTC(9999, 11, 30) });
    fc.assert(
      fc.property(anyNumber, anyInstant, (id, atMs) => {
        const { checkoutRequestId, merchantRequestId } = ids.issue(id, atMs, seededRandom(id));
        for (const text of [checkoutRequestId, merchantRequestId]) {
          expect([text, text.toLowerCase(), text.toUpperCase()].map(ids.numberOf)).toEqual([id, id, id]);
        }
        expect(numberOfCode(transactionCode(id))).toBe(id);
        expect(numberOfReceipt(receiptNumber(atMs, id).toLowerCase())).toBe(id);
      }),
    );
  });

  test("the first and the last number, too", () => {
    for (const id of [1, 2, 2 ** 20 - 1, 2 ** 20, MAX_NUMBER]) {
      const { checkoutRequestId, merchantRequestId } = ids.issue(id, AT_MS, seededRandom(id));
      expect([ids.numberOf(checkoutRequestId), ids.numberOf(merchantRequestId)]).toEqual([id, id]);
      expect([numberOfCode(transactionCode(id)), numberOfReceipt(receiptNumber(AT_MS, id))]).toEqual([id, id]);
    }
  });

  test.each([
    "",
    "ws_CO_",
    "ws_CO_1_A",
    "ws_XX_02102026181109_00000000ABCDEFGHJKMN",
    "ws_CO_02102026181109_0000000UABCDEFGHJKMN",
  ])("%p is nobody's", (text) => {
    expect([ids.numberOf(text), numberOfCode(text), numberOfReceipt(text)]).toEqual([null, null, null]);
  });

  test("with what is stored of a payment, its ids are the same again", () => {
    fc.assert(
      fc.property(anyNumber, (id) => {
        const issued = ids.issue(id, AT_MS, seededRandom(id));
        expect(ids.restore(id, AT_MS, secretOf(issued.checkoutRequestId))).toEqual(issued);
      }),
    );
  });
});

describe("the request ids of a payment", () => {
  const ids = createRequestIds(seededRandom(7).bytes(32));
  const random = seededRandom(1);
  const issued = Array.from({ length: 10_000 }, (_, index) => ids.issue(index + 1, AT_MS, random));
  const tokenOf = (requestId: string) => requestId.split("_")[3] ?? "";
  const numberPart = (requestId: string) => tokenOf(requestId).slice(0, 8);
  const randomPart = (requestId: string) => tokenOf(requestId).slice(8);

  test("ws_CO_<timestamp>_<token> and ws_MR_<timestamp>_<token>, in Nairobi time", () => {
    for (const { checkoutRequestId, merchantRequestId } of issued.slice(0, 100)) {
      expect(checkoutRequestId).toMatch(/^ws_CO_02102026181109_[0-9A-HJKMNP-TV-Z]{20}$/);
      expect(merchantRequestId).toMatch(/^ws_MR_02102026181109_[0-9A-HJKMNP-TV-Z]{20}$/);
    }
  });

  test("just after midnight in Nairobi they show the new day", () => {
    const { checkoutRequestId } = ids.issue(1, Date.UTC(2026, 11, 31, 21, 0, 5), random);
    expect(checkoutRequestId).toStartWith("ws_CO_01012027000005_");
  });

  test("no two of 20,000 in one second are alike, in no part of their tokens", () => {
    const all = issued.flatMap(({ checkoutRequestId, merchantRequestId }) => [checkoutRequestId, merchantRequestId]);
    expect(new Set(all.map(randomPart)).size).toBe(20_000);
    for (const member of ["checkoutRequestId", "merchantRequestId"] as const) {
      expect(new Set(issued.map((one) => numberPart(one[member]))).size).toBe(10_000);
    }
  });

  test("nobody sorts by them, and one does not tell the other", () => {
    for (const part of [numberPart, randomPart]) {
      const checkout = issued.map(({ checkoutRequestId }) => part(checkoutRequestId));
      const merchant = issued.map(({ merchantRequestId }) => part(merchantRequestId));
      for (const texts of [checkout, merchant]) {
        const rising = texts.slice(1).filter((text, index) => text > (texts[index] ?? "")).length;
        expect(Math.abs(rising - 5000)).toBeLessThan(250);
        // Each character takes each of its values about as often; the number leaves out the greatest.
        const counts = Map.groupBy(texts, (text) => text.at(-1));
        expect(counts.size).toBe(32);
        for (const { length } of counts.values()) expect(Math.abs(length - 10_000 / 32)).toBeLessThan(120);
      }
      const alike = checkout.filter((text, index) => text.slice(0, 2) === merchant[index]?.slice(0, 2)).length;
      expect(alike).toBeLessThan(40);
    }
  });

  test("of two databases they differ in every part but the random one of the checkout request id", () => {
    const others = createRequestIds(seededRandom(8).bytes(32));
    const [one, other] = [ids, others].map((either) => either.restore(1, AT_MS, "0123456789AB"));
    expect(numberPart(one?.checkoutRequestId ?? "")).not.toBe(numberPart(other?.checkoutRequestId ?? ""));
    expect(tokenOf(one?.merchantRequestId ?? "")).not.toBe(tokenOf(other?.merchantRequestId ?? ""));
    expect(randomPart(one?.merchantRequestId ?? "")).not.toBe(randomPart(other?.merchantRequestId ?? ""));
  });
});
