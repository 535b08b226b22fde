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

describe("a receipt number is 10 characters: year, month, day, and seven without a meaning", () => {
  test.each([
    [AT_MS, "UJ2"],
    [Date.UTC(2026, 4, 9, 12), "UE9"],
    [Date.UTC(2026, 4, 10, 12), "UEA"],
    [Date.UTC(2006, 0, 1, 12), "AA1"],
    [Date.UTC(2031, 11, 31, 20, 59), "ZLV"],
    // From here on, the letters of the years are used again.
    [Date.UTC(2031, 11, 31, 21), "AA1"],
  ])("at %p it starts with %s", (atMs, start) => {
    expect(receiptNumber(atMs, 42)).toStartWith(start);
  });

  test("it has the Nairobi date of every instant", () => {
    const anyInstant = fc.integer({ min: Date.UTC(2006, 0, 1), max: Date.UTC(2031, 11, 31, 20, 59, 59, 999) });
    fc.assert(
      fc.property(anyInstant, fc.nat(), (atMs, id) => {
        const receipt = receiptNumber(atMs, id);
        expect(receipt).toMatch(/^[A-Z][A-L][1-9A-V][0-9A-Z]{7}$/);
        const [year = 0, month = 0, day = 0] = [...receipt].map((character) => ALPHANUMERIC.indexOf(character));
        const [date = ""] = formatTimestamp(atMs).split(" ");
        expect([year - 10 + 2006, month - 9, day]).toEqual(date.split("-").map(Number));
      }),
    );
  });

  test("receipts of numbers in a row are not in order", () => {
    const endings = Array.from({ length: 500 }, (_, index) => receiptNumber(AT_MS, 12_345 + index).slice(5));
    expect(new Set(endings).size).toBe(500);
    expect(endings.toSorted()).not.toEqual(endings);
  });
});

test("a transaction code is T and the number of the transaction, in 12 characters", () => {
  expect([1, 4711, 99_999_999_999].map(transactionCode)).toEqual(["T00000000001", "T00000004711", "T99999999999"]);
});

const ids = createRequestIds(seededRandom(7).bytes(32));

describe("an identifier leads back to its number, in any letter case", () => {
  const check = (id: number, atMs: number) => {
    const { checkoutRequestId, merchantRequestId } = ids.issue(id, atMs, seededRandom(id));
    for (const text of [checkoutRequestId, merchantRequestId]) {
      expect([text, text.toLowerCase()].map(ids.numberOf)).toEqual([id, id]);
    }
    expect(numberOfCode(transactionCode(id).toLowerCase())).toBe(id);
    expect(numberOfReceipt(receiptNumber(atMs, id).toLowerCase())).toBe(id);
    expect(ids.restore(id, atMs, secretOf(checkoutRequestId)).merchantRequestId).toBe(merchantRequestId);
  };

  test("request ids, transaction codes and receipt numbers of any number", () => {
    const anyInstant = fc.integer({ min: Date.UTC(2006, 0, 1), max: Date.UTC(9999, 11, 30) });
    fc.assert(fc.property(fc.integer({ min: 1, max: MAX_NUMBER }), anyInstant, check));
  });

  test.each([1, 2, 2 ** 20 - 1, 2 ** 20, MAX_NUMBER])("those of %p", (id) => check(id, AT_MS));

  test.each([
    "",
    "ws_CO_1_A",
    "ws_XX_02102026181109_00000000ABCDEFGHJKMN",
    "ws_CO_02102026181109_0000000UABCDEFGHJKMN",
    `${ids.issue(1, AT_MS, seededRandom(1)).checkoutRequestId}0`,
  ])("%j has no number", (text) => {
    expect([ids.numberOf(text), numberOfCode(text), numberOfReceipt(text)]).toEqual([null, null, null]);
  });
});

describe("the request ids of a payment", () => {
  const random = seededRandom(1);
  const issued = Array.from({ length: 10_000 }, (_, index) => ids.issue(index + 1, AT_MS, random));
  const tokenOf = (requestId: string) => requestId.split("_")[3] ?? "";
  const numberPart = (requestId: string) => tokenOf(requestId).slice(0, 8);
  const randomPart = (requestId: string) => tokenOf(requestId).slice(8);

  test("are ws_CO_<timestamp>_<token> and ws_MR_<timestamp>_<token>, in Nairobi time", () => {
    for (const { checkoutRequestId, merchantRequestId } of issued.slice(0, 100)) {
      expect(checkoutRequestId).toMatch(/^ws_CO_02102026181109_[0-9A-HJKMNP-TV-Z]{20}$/);
      expect(merchantRequestId).toMatch(/^ws_MR_02102026181109_[0-9A-HJKMNP-TV-Z]{20}$/);
    }
    const { checkoutRequestId } = ids.issue(1, Date.UTC(2026, 11, 31, 21, 0, 5), random);
    expect(checkoutRequestId).toStartWith("ws_CO_01012027000005_");
    for (const [afterMs, second] of [
      [999, "09"],
      [1000, "10"],
    ] as const) {
      expect(ids.issue(1, AT_MS + afterMs, random).merchantRequestId).toStartWith(`ws_MR_021020261811${second}_`);
    }
  });

  test("differ in each part of their tokens", () => {
    const all = issued.flatMap(({ checkoutRequestId, merchantRequestId }) => [checkoutRequestId, merchantRequestId]);
    expect(new Set(all.map(randomPart)).size).toBe(20_000);
    for (const member of ["checkoutRequestId", "merchantRequestId"] as const) {
      expect(new Set(issued.map((one) => numberPart(one[member]))).size).toBe(10_000);
    }
  });

  test("have no order, and the two ids of a payment have nothing in common", () => {
    for (const part of [numberPart, randomPart]) {
      const checkout = issued.map(({ checkoutRequestId }) => part(checkoutRequestId));
      const merchant = issued.map(({ merchantRequestId }) => part(merchantRequestId));
      for (const texts of [checkout, merchant]) {
        const rising = texts.slice(1).filter((text, index) => text > (texts[index] ?? "")).length;
        expect(Math.abs(rising - 5000)).toBeLessThan(250);
        // Each of the 32 values of a character is about as frequent.
        const counts = Map.groupBy(texts, (text) => text.at(-1));
        expect(counts.size).toBe(32);
        for (const { length } of counts.values()) expect(Math.abs(length - 10_000 / 32)).toBeLessThan(120);
      }
      const alike = checkout.filter((text, index) => text.slice(0, 2) === merchant[index]?.slice(0, 2)).length;
      expect(alike).toBeLessThan(40);
    }
  });

  test("depend on the key of the database, except the random part of the checkout request id", () => {
    const others = createRequestIds(seededRandom(8).bytes(32));
    const [one, other] = [ids.restore(1, AT_MS, "0123456789AB"), others.restore(1, AT_MS, "0123456789AB")];
    expect(numberPart(one.checkoutRequestId)).not.toBe(numberPart(other.checkoutRequestId));
    expect(numberPart(one.merchantRequestId)).not.toBe(numberPart(other.merchantRequestId));
    expect(randomPart(one.merchantRequestId)).not.toBe(randomPart(other.merchantRequestId));
  });
});
