import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/domain/error.ts";
import { parseName } from "../../src/domain/merchant.ts";

describe("a name is 1 to 100 characters on one line", () => {
  test.each(["x", "Duka la Wanjikũ", "a".repeat(100), "😀".repeat(100)])("%s", (text) => {
    expect(parseName(`  ${text} `, "name")).toBe(text);
  });

  test.each([
    ["nothing", ""],
    ["only spaces", "   "],
    ["101 characters", "a".repeat(101)],
    ["101 emojis", "😀".repeat(101)],
    ["two lines", "Demo\nShop"],
    ["a NUL", "Demo\0Shop"],
    ["an escape sequence", "\u001b[31mred"],
    ["a C1 control character", "Demo\u0085Shop"],
    ["the line separator of Unicode", "Demo\u2028Shop"],
    ["the paragraph separator of Unicode", "Demo\u2029Shop"],
    ["half an emoji", "Demo \ud83d"],
  ])("%s is refused", (_what, text) => {
    expect(() => parseName(text, "label")).toThrow(Refusal);
    expect(() => parseName(text, "label")).toThrow("label must be 1 to 100 characters on one line");
  });
});
