import { expect, test } from "bun:test";
import { findingsByRequest, labelOf } from "../../../sandbox/console/browser/logic/findings.ts";
import type { Finding } from "../../../sandbox/console/browser/wire.ts";

const finding = (kind: Finding["kind"], ...request_ids: number[]): Finding => ({
  kind,
  severity: "warning",
  message: "",
  advice: "",
  section: "§4.4",
  request_ids,
  checkout_request_id: null,
  reference: null,
  first_at: "2026-11-20 10:00:00",
  count: 1,
});

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
