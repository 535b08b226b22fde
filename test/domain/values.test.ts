import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { timeLeft } from "../../src/domain/duration.ts";
import { invalid, readNaming, receivedText, shown, whatCame } from "../../src/domain/error.ts";
import { around, findJsonMistake, lineAndColumn, looksLikeUtf16 } from "../../src/domain/json-mistake.ts";
import { foldCase } from "../../src/domain/list.ts";
import { parseName } from "../../src/domain/merchant.ts";
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

  const OTHER_FORMS = ["", "+254712345678", "712345678", "07123456789", "2540712345678", "071234567a"];
  const MORE = [" 0712345678", "254712345678 ", "0712345678\n", "254712345678\0", "0712345678\n0712345678"];
  test.each([...OTHER_FORMS, ...MORE, "٠٧١٢٣٤٥٦٧٨", "０７１２３４５６７８"])("%j is refused", (text) => {
    expect(() => parsePhone(text, "PHONE")).toThrow(
      "PHONE must be a string of 254 and 9 digits or 0 and 9 digits, such as 254712345678 or 0712345678",
    );
  });
});

test("every start of a phone in a search, in each form, is a start of its stored form", () => {
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

test("the start of a text without its letter case is the start of the whole text without it", () => {
  const anyCharacter = fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)).map((code) => String.fromCodePoint(code));
  fc.assert(
    fc.property(fc.array(anyCharacter), fc.array(anyCharacter), (start, rest) => {
      expect(foldCase([...start, ...rest].join(""))).toStartWith(foldCase(start.join("")));
    }),
    { numRuns: 1000 },
  );
});

describe("a name is 1 to 100 characters on one line", () => {
  test.each(["x", "Duka la Wanjikũ", "a".repeat(100), "😀".repeat(100)])("%s", (text) => {
    expect(parseName(`  ${text} `, "name")).toBe(text);
  });

  const CONTROLS = ["Demo\nShop", "Demo\0Shop", "\u001b[31mred", "Demo\u0085Shop", "Demo\u2028Shop", "Demo\u2029Shop"];
  test.each(["", "   ", "a".repeat(101), "😀".repeat(101), "Demo \ud83d", ...CONTROLS])("%j is refused", (text) => {
    expect(() => parseName(text, "label")).toThrow("label must be 1 to 100 characters on one line");
  });
});

const SECRET = `ms_${"0123456789".repeat(4)}`;

describe("a value is shown as JSON writes it", () => {
  test.each([
    ["100", '"100"'],
    ["", '""'],
    ['say "hi"', '"say \\"hi\\""'],
    [299.96999999999997, "299.96999999999997"],
    [-0, "0"],
    [true, "true"],
    [null, "null"],
    [["a"], "an array"],
    [{ a: 1 }, "an object"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [Number.MAX_SAFE_INTEGER + 1, "9007199254740992, which is too large"],
    [Number.MIN_SAFE_INTEGER - 1, "-9007199254740992, which is too large"],
    [Number.POSITIVE_INFINITY, "too large"],
    [Number.NEGATIVE_INFINITY, "too large"],
    // At most 40 characters of a text.
    ["x".repeat(40), `"${"x".repeat(40)}"`],
    ["x".repeat(41), `"${"x".repeat(40)}…", 41 characters`],
    ["😀".repeat(40), `"${"😀".repeat(40)}"`],
    ["😀".repeat(60_000), `"${"😀".repeat(40)}…", 60000 characters`],
    [`${SECRET} ${"x".repeat(60)}`, `"[redacted] ${"x".repeat(29)}…", 104 characters`],
    // Nothing that changes a terminal or the direction of text.
    ["\u001b[31m\n\u0085\u009b\u007f", '"\\u001b[31m\\n\\u0085\\u009b\\u007f"'],
    ["a\u202eb\u2066c\u2028d\u{e0001}", '"a\\u202eb\\u2066c\\u2028d\\udb40\\udc01"'],
  ])("%#: %p", (value, text) => {
    expect(shown(value)).toBe(text);
  });

  test.each([SECRET, `api_secret=${SECRET}`, `${"x".repeat(30)} ${SECRET}`, `${SECRET} `.repeat(5)])(
    "a secret is removed before the text is cut: %s",
    (value) => {
      expect(shown(value)).not.toContain("ms_");
    },
  );
});

test("the kind is named where another one is needed", () => {
  expect(receivedText("100", true)).toBe('a string, "100"');
  expect(receivedText(100, true)).toBe("a number, 100");
  expect(receivedText(null, true)).toBe("null");
  expect(whatCame("100")).toBe('; it is "100"');
});

test("a refusal of a function gets the value at its end; other errors stay as they are", () => {
  const refuse = () => {
    throw invalid("phone must be something else");
  };
  expect(() => readNaming("x", refuse)).toThrow('phone must be something else; it is "x"');
  expect(() => readNaming("x", () => BigInt("x"))).toThrow(SyntaxError);
  expect(readNaming("x", (text) => text + text)).toBe("xx");
});

test("a countdown shows each second that has begun in full", () => {
  expect([90_000, 59_001, 1, 0, -1500].map(timeLeft)).toEqual(["1:30", "1:00", "0:01", "0:00", "0:00"]);
});

test.each([
  ['{"phone":0712345678}', 9, "leading zero"],
  ['{"phone":+254712345678}', 9, "plus sign"],
  ['{"amount":NaN}', 10, "no NaN"],
  ['{"a":1,}', 7, "an extra comma before }"],
  ["[1,]", 3, "an extra comma before ]"],
  ['{"amount":1,000}', 12, "no commas"],
  ['{"a":"x\ny"}', 7, "raw line break"],
  ['{"a":"x\ty"}', 7, "raw control character"],
  ['{"a":1', 6, "cut off: } is missing"],
  ['{"a":[{"b":"x', 13, "cut off"],
  ["", 0, "cut off"],
  ['{"a":1 // one\n}', 7, "no comments"],
  ['{"a":"\\x"}', 6, "not a JSON escape"],
  ["{'a':1}", 1, 'quotes of JSON are "'],
  ["{a:1}", 1, "a name in double quotes"],
  ['{"a":None}', 5, "null"],
  ['{"a":True}', 5, "lower case"],
  ['{"a":x}', 5, "double quotes"],
  ['{"a":.5}', 5, "not a JSON number"],
  ['{"a":1.}', 5, "not a JSON number"],
  ['{"a" 1}', 5, "a colon is missing"],
  ['{"a":1 "b":2}', 7, "a comma or } is missing"],
  ['{"a":[1}', 7, "] is expected here"],
  ['{"a":1} x', 8, "more after its end"],
  ["{,}", 1, "a name in double quotes"],
])("%j: the mistake is at %d: %s", (text, at, what) => {
  const mistake = findJsonMistake(text);
  expect(mistake).toMatchObject({ at, what: expect.stringContaining(what) });
});

test("a text that JSON.parse takes has no mistake, also a deep one", () => {
  for (const text of [
    ' {"a":[1,-0.5e3,true,null,"\\u00e9\\n",{}],"b":[]} ',
    "0",
    '"é"',
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  ])
    expect(findJsonMistake(text)).toBeNull();
});

test("a place has a line and a column, the characters around it, and no secret", () => {
  const text = `{\n  "key": "ms_${"a".repeat(40)}",\n  "a": 07\n}`;
  const mistake = findJsonMistake(text) ?? { at: 0, what: "" };
  expect(lineAndColumn(text, mistake.at)).toBe("line 3, column 8");
  expect(around(text, mistake)).not.toContain("aaa");
  expect(around(text, mistake)).toContain('"a": 07');
});

test("UTF-16 is recognised with and without a byte order mark", () => {
  for (const bytes of [
    [0xff, 0xfe, 0x7b, 0],
    [0x7b, 0, 0x22, 0],
    [0, 0x7b, 0, 0x22],
  ])
    expect(looksLikeUtf16(new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes)))).toBe(true);
  expect(looksLikeUtf16('{"a":1}')).toBe(false);
});
