import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/domain/error.ts";
import { parseName } from "../../src/domain/merchant.ts";

describe("a name is 1 to 100 characters on one line", () => {
  test.each([
    ["Demo Shop", "Demo Shop"],
    ["  Demo Shop  ", "Demo Shop"],
    ["x", "x"],
    ["Duka la Wanjikũ", "Duka la Wanjikũ"],
    ["a".repeat(100), "a".repeat(100)],
    ["😀".repeat(100), "😀".repeat(100)],
  ])("%p is %p", (text, name) => {
    expect(parseName(text, "name")).toBe(name);
  });

  test.each([
    ["nothing", ""],
    ["spaces alone", "   "],
    ["101 characters", "a".repeat(101)],
    ["101 characters beyond 16 bits", "😀".repeat(101)],
    ["two lines", "Demo\nShop"],
    ["a tab", "Demo\tShop"],
    ["a NUL", "Demo\0Shop"],
    ["an escape sequence", "\u001b[31mred"],
    ["a C1 control character", "Demo\u0085Shop"],
    ["the line separator of Unicode", "Demo\u2028Shop"],
    ["the paragraph separator of Unicode", "Demo\u2029Shop"],
    ["half an emoji", "Demo \ud83d"],
  ])("%s is refused", (_what, text) => {
    expect(() => parseName(text, "name")).toThrow(Refusal);
    expect(() => parseName(text, "label")).toThrow("label must be 1 to 100 characters on one line");
  });
});
