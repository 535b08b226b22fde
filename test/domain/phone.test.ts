import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/domain/error.ts";
import { parsePhone, parsePhonePrefix } from "../../src/domain/phone.ts";

const nineDigits = fc.stringMatching(/^[0-9]{9}$/);

describe("a phone is 254 and 9 digits or 0 and 9 digits, stored as 254…", () => {
  test("both forms are the same number, of any operator", () => {
    fc.assert(
      fc.property(nineDigits, (digits) => {
        expect<string>(parsePhone(`254${digits}`)).toBe(`254${digits}`);
        expect<string>(parsePhone(`0${digits}`)).toBe(`254${digits}`);
      }),
    );
  });

  test.each([
    "",
    "+254712345678",
    "712345678",
    "07123456789",
    "2540712345678",
    " 0712345678",
    "254712345678 ",
    "0712345678\n",
    "254712345678\0",
    "071234567a",
    "٠٧١٢٣٤٥٦٧٨",
    "０７１２３４５６７８",
    "0712345678\n0712345678",
  ])("%j is refused", (text) => {
    expect(() => parsePhone(text)).toThrow(Refusal);
    expect(() => parsePhone(text, "PHONE")).toThrow(
      "PHONE must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678",
    );
  });
});

describe("the start of a phone in a search", () => {
  test.each([
    ["07", "2547"],
    ["0", "254"],
    ["2547", "2547"],
    ["+254712", "254712"],
    ["+2", "2"],
    ["+", ""],
    [" 254712", "254712"],
    ["712", "254712"],
    ["1", "2541"],
    ["25", "25"],
  ])("%j means %j", (typed, prefix) => {
    expect(parsePhonePrefix(typed)).toBe(prefix);
  });

  test.each(["", " ", "+07", "+712", "+255", "07 12", "07-12", "07a", "٠٧", "07\n", "++254", "%"])(
    "no phone starts with %j",
    (typed) => {
      expect(parsePhonePrefix(typed)).toBeNull();
    },
  );

  test("every start of a phone, in each form, is a start of its stored form", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[71][0-9]{8}$/), fc.integer({ min: 1, max: 12 }), (digits, length) => {
        const stored = `254${digits}`;
        for (const form of [`0${digits}`, stored, `+${stored}`, digits]) {
          const prefix = parsePhonePrefix(form.slice(0, length));
          expect(prefix).not.toBeNull();
          expect(stored).toStartWith(prefix ?? "-");
        }
      }),
    );
  });
});
