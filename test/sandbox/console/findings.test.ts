import { expect, test } from "bun:test";
import { findingsByRequest, labelOf } from "../../../sandbox/console/browser/logic/findings.ts";

const finding = (kind: string, ...request_ids: number[]) => ({ kind, message: "", advice: "", request_ids });

test("a finding shows at each of its calls that are here, beside others", () => {
  const [twice, fast] = [finding("charges_twice", 1, 4), finding("polls_too_fast", 4, 5)];
  expect([...findingsByRequest([twice, fast], 2)]).toEqual([
    [4, [twice, fast]],
    [5, [fast]],
  ]);
});

test("its label is its kind in words", () => {
  expect(labelOf(finding("polls_after_completed"))).toBe("polls after completed");
});
