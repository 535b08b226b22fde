import { describe, expect, test } from "bun:test";
import { invalid } from "../../src/domain/error.ts";
import { readNaming, shown, whatCame } from "../../src/domain/what-came.ts";

const SECRET = `ms_${"0123456789".repeat(4)}`;

describe("what came is shown as JSON writes it", () => {
  test.each([
    ["100", '"100"'],
    ["", '""'],
    ['say "hi"', '"say \\"hi\\""'],
    [12.5, "12.5"],
    [299.96999999999997, "299.96999999999997"],
    [-0, "0"],
    [true, "true"],
    [null, "null"],
    [["a"], "an array"],
    [{ a: 1 }, "an object"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [Number.MAX_SAFE_INTEGER + 1, "9007199254740992, which is too large"],
    [Number.POSITIVE_INFINITY, "too large"],
  ])("%p as %s", (value, text) => {
    expect(shown(value)).toBe(text);
  });
});

describe("never more than 40 characters of it, and how long it was", () => {
  test.each([
    ["x".repeat(40), `"${"x".repeat(40)}"`],
    ["x".repeat(41), `"${"x".repeat(40)}…", 41 characters`],
    ["😀".repeat(40), `"${"😀".repeat(40)}"`],
    ["😀".repeat(60_000), `"${"😀".repeat(40)}…", 60000 characters`],
  ])("%#", (value, text) => {
    expect(shown(value)).toBe(text);
  });
});

describe("a secret is cut out, also where the end of what is shown would halve it", () => {
  test.each([SECRET, `api_secret=${SECRET}`, `${"x".repeat(30)} ${SECRET}`, `${`${SECRET} `.repeat(5)}`])(
    "%s",
    (value) => {
      expect(shown(value)).not.toContain("ms_");
    },
  );
});

test("nothing that a terminal obeys: control characters and those for the direction of text are escaped", () => {
  expect(shown("\u001b[31m\n\u0085\u009b\u007f")).toBe('"\\u001b[31m\\n\\u0085\\u009b\\u007f"');
  expect(shown("a\u202eb\u2066c\u2028d\u{e0001}")).toBe('"a\\u202eb\\u2066c\\u2028d\\udb40\\udc01"');
});

test("the kind is named where another one belongs there", () => {
  expect(whatCame("100", true)).toBe('; it is a string, "100"');
  expect(whatCame(100, true)).toBe("; it is a number, 100");
  expect(whatCame(null, true)).toBe("; it is null");
  expect(whatCame("100")).toBe('; it is "100"');
});

test("what a function refuses is refused in its words and named; what it throws otherwise is left alone", () => {
  const refuse = () => {
    throw invalid("phone must be something else");
  };
  expect(() => readNaming("x", refuse)).toThrow('phone must be something else; it is "x"');
  expect(() => readNaming("x", () => BigInt("x"))).toThrow(SyntaxError);
  expect(readNaming("x", (text) => text + text)).toBe("xx");
});
