import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createCredentials, hashSecret } from "../../src/domain/credentials.ts";
import {
  createRequestIds,
  MAX_NUMBER,
  numberOfCode,
  numberOfReceipt,
  receiptNumber,
  secretOf,
  transactionCode,
} from "../../src/domain/identifiers.ts";
import { token } from "../../src/domain/random.ts";
import { redact } from "../../src/domain/redact.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { systemRandom } from "../../src/system.ts";
import { seededRandom } from "../support/random.ts";

/** 2 October 2026, 18:11:09 in Nairobi. */
const AT_MS = Date.UTC(2026, 9, 2, 15, 11, 9);
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

describe("a receipt number is 10 characters: year, month, day, and seven without a meaning", () => {
  test.each([
    [AT_MS, "UJ2"],
    [Date.UTC(2031, 11, 31, 20, 59), "ZLV"],
    // From here on, the letters of the years are used again.
    [Date.UTC(2031, 11, 31, 21), "AA1"],
    [Date.UTC(2005, 11, 31), "ZLV"],
    [0, "QA1"],
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
    const anyInstant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 30) });
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

describe("a new key and its secret", () => {
  test("have 120 and 200 random bits, and are different each time", () => {
    const all = Array.from({ length: 100 }, () => createCredentials(systemRandom));
    for (const { apiKey, apiSecret } of all) {
      expect(apiKey).toMatch(/^mk_[0-9a-hjkmnp-tv-z]{24}$/);
      expect(apiSecret).toMatch(/^ms_[0-9a-hjkmnp-tv-z]{40}$/);
      expect(apiSecret.slice(3)).not.toStartWith(apiKey.slice(3));
    }
    expect(new Set(all.flatMap(({ apiKey, apiSecret }) => [apiKey, apiSecret])).size).toBe(200);
  });
});

test("only a hash of the secret is stored: SHA-256", () => {
  expect(Buffer.from(hashSecret("abc")).toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test("a token has five random bits a character: each of the 32 occurs, and no I, L, O or U", () => {
  expect([...new Set(token(systemRandom, 4000))].sort().join("")).toBe("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  for (const length of [0, 1, 12, 39]) expect(token(systemRandom, length)).toHaveLength(length);
});

describe("secrets are redacted however they are written", () => {
  const SECRET = createCredentials(seededRandom(1)).apiSecret;

  const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
  const WAYS: readonly ((character: string) => string)[] = [
    (character) => character,
    (character) => character.toUpperCase(),
    (character) => `%${hex(character)}`,
    (character) => `%${hex(character).toUpperCase()}`,
    (character) => `%25${hex(character)}`,
    (character) => `%25252525${hex(character)}`,
    (character) => `%u00${hex(character)}`,
    (character) => `\\u00${hex(character)}`,
    (character) => `\\u00${hex(character).toUpperCase()}`,
    (character) => `\\\\u00${hex(character)}`,
    (character) => `\\x${hex(character)}`,
  ];

  test("each character in any way", () => {
    const ways = fc.array(fc.constantFrom(...WAYS), { minLength: SECRET.length, maxLength: SECRET.length });
    fc.assert(
      fc.property(ways, (chosen) => {
        const written = [...SECRET].map((character, index) => chosen[index]?.(character)).join("");
        expect(redact(`?q=${written}&x`)).toBe("?q=[redacted]&x");
      }),
    );
  });

  test.each<[before: string, after: string, left: string]>([
    ...["%20", "x%3D", "%253d", "\\n", "\\u0020", '\\"', "x_", "=", "é", "for", "0"].map(
      (before): [string, string, string] => [before, "", ""],
    ),
    ["", "abc", ""],
    ["", "_abc", "_abc"],
    ["", "é", "é"],
    ["", "0".repeat(88), ""],
    ["", "0".repeat(89), "0"],
  ])("between %j and %j", (before, after, left) => {
    expect(redact(`${before}${SECRET}${after}`)).toBe(`${before}[redacted]${left}`);
  });

  test("of 32 to 128 characters", () => {
    for (const length of [32, 39, 128]) expect(redact(`ms_${"a".repeat(length)}`)).toBe("[redacted]");
  });

  test.each(["items_42 ms_short", `ms_${"a".repeat(31)}`, "ms%5Fshort", "%6d%73%5f"])("%s has no secret", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("a long text with many starts of secrets is fast", () => {
    const text = `ms_${"a".repeat(31)}-`.repeat(20_000) + "%25".repeat(100_000) + "\\".repeat(100_000);
    const startedMs = performance.now();
    expect(redact(text)).toBe(text);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
