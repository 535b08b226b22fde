import { describe, expect, test } from "bun:test";
import { invalid } from "../../src/domain/error.ts";
import { readNaming, shown, whatCame } from "../../src/domain/what-came.ts";

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
    [Number.POSITIVE_INFINITY, "too large"],
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
  expect(whatCame("100", true)).toBe('; it is a string, "100"');
  expect(whatCame(100, true)).toBe("; it is a number, 100");
  expect(whatCame(null, true)).toBe("; it is null");
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
