import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/domain/error.ts";
import { parsePhone } from "../../src/domain/phone.ts";

function isAccepted(text: string): boolean {
  try {
    return parsePhone(text) !== "";
  } catch {
    return false;
  }
}

const nineDigits = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 9, maxLength: 9 })
  .map((digits) => digits.join(""));

describe("a phone is exactly 254 + 9 digits or 0 + 9 digits; stored and shown as 254…", () => {
  test("both shapes of one number are the same number", () => {
    fc.assert(
      fc.property(nineDigits, (digits) => {
        expect<string>(parsePhone(`254${digits}`)).toBe(`254${digits}`);
        expect<string>(parsePhone(`0${digits}`)).toBe(`254${digits}`);
      }),
    );
  });

  test("number ranges grow: no operator is known", () => {
    for (const start of ["7", "1", "2", "0", "9"]) {
      expect<string>(parsePhone(`0${start}00000000`)).toBe(`254${start}00000000`);
    }
  });

  test("a national number that begins with 254 keeps its digits", () => {
    expect<string>(parsePhone("0254712345")).toBe("254254712345");
  });

  test.each([
    ["a plus", "+254712345678"],
    ["ten digits after 0", "07123456789"],
    ["254 and a zero too many", "2540712345678"],
    ["a trailing space", "254712345678 "],
    ["a trailing newline", "254712345678\n"],
    ["a trailing newline on the short shape", "0712345678\n"],
    ["a NUL", "254712345678\0"],
    ["Arabic digits", "٠٧١٢٣٤٥٦٧٨"],
    ["full-width digits", "０７１２３４５６７８"],
    ["two numbers on two lines", "0712345678\n0712345678"],
  ])("every third shape is refused: %s", (_what, text) => {
    expect(() => parsePhone(text)).toThrow(Refusal);
  });

  test("any text that is not one of the two shapes is refused", () => {
    const isDigit = (character: string) => "0123456789".includes(character);
    const almost = fc
      .tuple(fc.constantFrom("254", "0", "+254", "", "25", "00"), fc.string({ maxLength: 11 }))
      .map(([start, rest]) => start + rest);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), almost), (text) => {
        const digits = [...text].every(isDigit);
        const fits =
          digits && ((text.length === 12 && text.startsWith("254")) || (text.length === 10 && text.startsWith("0")));
        expect(isAccepted(text)).toBe(fits);
      }),
      { numRuns: 200 },
    );
  });

  test("the refusal names the member and shows both shapes", () => {
    expect(() => parsePhone("1")).toThrow(
      "phone must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678",
    );
    expect(() => parsePhone("1", "PHONE")).toThrow(/^PHONE must be/);
  });
});
