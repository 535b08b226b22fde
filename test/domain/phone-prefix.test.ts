import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parsePhonePrefix } from "../../src/domain/phone.ts";

describe("the start of a number is typed as 07…, 254…, +254… or 7…", () => {
  test.each([
    ["07", "2547"],
    ["0712", "254712"],
    ["0", "254"],
    ["254", "254"],
    ["2547", "2547"],
    ["+254712", "254712"],
    ["+254", "254"],
    ["+2", "2"],
    ["+", ""],
    [" 254712", "254712"],
    ["712", "254712"],
    ["7", "2547"],
    ["1", "2541"],
    ["2", "2"],
    ["25", "25"],
  ])("%p means %p", (typed, prefix) => {
    expect(parsePhonePrefix(typed)).toBe(prefix);
  });

  test.each(["", " ", "+07", "+1", "+712", "+255", "07 12", "07-12", "07a", "٠٧", "07\n", "ws_CO", "++254", "%"])(
    "no number starts with %p",
    (typed) => {
      expect(parsePhonePrefix(typed)).toBeNull();
    },
  );

  test("every start of a number, in each of the four ways to type it, is a start of its stored form", () => {
    const national = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 8 })
      .chain((digits) => fc.constantFrom("7", "1").map((first) => first + digits.join("")));
    fc.assert(
      fc.property(national, fc.integer({ min: 1, max: 12 }), (digits, length) => {
        const stored = `254${digits}`;
        for (const shape of [`0${digits}`, stored, `+${stored}`, digits]) {
          const typed = shape.slice(0, length);
          const prefix = parsePhonePrefix(typed);
          expect(prefix).not.toBeNull();
          expect(stored.startsWith(prefix ?? "-")).toBe(true);
        }
      }),
    );
  });
});
