import { expect, test } from "bun:test";
import { RESULT_ADVICE } from "../../../sandbox/network/outcomes.ts";
import { RESULT_CODES } from "../../../src/domain/result-codes.ts";

test("each result code has its meaning and an advice in plain words, and no two are alike", () => {
  expect(Object.keys(RESULT_ADVICE)).toEqual(Object.keys(RESULT_CODES));
  const texts = Object.values(RESULT_ADVICE).flatMap(({ meaning, advice }) => [meaning, advice]);
  for (const text of texts) expect(text).toMatch(/^[A-Z].{10,160}\.$/);
  expect(new Set(texts).size).toBe(texts.length);
});
