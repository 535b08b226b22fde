import { describe, expect, test } from "bun:test";
import { OUTCOMES, outcomeOfPhone, parseOutcomeName, RESULT_ADVICE } from "../../../sandbox/network/outcomes.ts";
import { Refusal } from "../../../src/domain/error.ts";
import { RESULT_CODES } from "../../../src/domain/outcome.ts";
import { parsePhone } from "../../../src/domain/phone.ts";

const NAMES = OUTCOMES.map(({ name }) => name);

test("each outcome has its own meaning", () => {
  expect(new Set(OUTCOMES.map(({ meaning }) => meaning)).size).toBe(OUTCOMES.length);
});

test("a test phone has its outcome, however the number is written; other phones have none", () => {
  for (const { name, phone } of OUTCOMES) {
    expect(outcomeOfPhone(parsePhone(phone))).toBe(name);
    expect(outcomeOfPhone(parsePhone(`0${phone.slice(3)}`))).toBe(name);
  }
  for (const phone of ["254700000002", "254712345678", "254100000000", "254700000501"]) {
    expect(outcomeOfPhone(parsePhone(phone))).toBeNull();
  }
});

describe("the name of an outcome", () => {
  test("is known for each outcome", () => {
    for (const name of NAMES) expect(parseOutcomeName(name, "--outcome")).toBe(name);
  });

  test.each(["", "COMPLETED", "success", "completed ", "toString", "constructor", "__proto__"])(
    "is not %p: the refusal lists the names",
    (text) => {
      const refused = () => parseOutcomeName(text, "--outcome");
      expect(refused).toThrow(Refusal);
      expect(refused).toThrow(`--outcome is not the name of an outcome; the names are ${NAMES.join(", ")}`);
    },
  );
});

test("each result code has its own meaning and its own advice, each as one or two short sentences", () => {
  expect(Object.keys(RESULT_ADVICE)).toEqual(Object.keys(RESULT_CODES));
  const texts = Object.values(RESULT_ADVICE).flatMap(({ meaning, advice }) => [meaning, advice]);
  for (const text of texts) expect(text).toMatch(/^[A-Z].{10,160}\.$/);
  expect(new Set(texts).size).toBe(texts.length);
});
