import { expect, test } from "bun:test";
import { around, findJsonMistake, lineAndColumn, looksLikeUtf16 } from "../../src/domain/json-mistake.ts";

test.each([
  ['{"phone":0712345678}', 9, "leading zero"],
  ['{"amount":NaN}', 10, "no NaN"],
  ['{"a":1,}', 7, "comma too many before }"],
  ["[1,]", 3, "comma too many before ]"],
  ['{"amount":1,000}', 12, "no commas"],
  ['{"a":"x\ny"}', 7, "raw line break"],
  ['{"a":"x\ty"}', 7, "raw control character"],
  ['{"a":1', 6, "cut off: } is missing"],
  ['{"a":[{"b":"x', 13, "cut off"],
  ["", 0, "cut off"],
  ['{"a":1 // one\n}', 7, "no comments"],
  ['{"a":"\\x"}', 6, "no escape"],
  ["{'a':1}", 1, 'quotes of JSON are "'],
  ["{a:1}", 1, "a name in double quotes"],
  ['{"a":None}', 5, "null"],
  ['{"a":True}', 5, "lower case"],
  ['{"a":x}', 5, "double quotes"],
  ['{"a":.5}', 5, "no number"],
  ['{"a":1.}', 5, "no number"],
  ['{"a" 1}', 5, "a colon is missing"],
  ['{"a":1 "b":2}', 7, "a comma or } is missing"],
  ['{"a":[1}', 7, "] is due here"],
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
