import { expect, test } from "bun:test";
import {
  acknowledge,
  findingsByCall,
  findingsByKind,
  findingsByPayment,
  isAcknowledged,
  labelsOf,
} from "../../../sandbox/console/browser/logic/findings.ts";
import type { Finding } from "../../../sandbox/console/browser/wire.ts";

const finding = (kind: Finding["kind"], request_ids: number[], changes: Partial<Finding> = {}): Finding => ({
  kind,
  severity: "error",
  message: kind,
  advice: "",
  section: "§4",
  request_ids,
  checkout_request_id: null,
  reference: null,
  first_at: "2026-11-20 10:00:00",
  count: 1,
  ...changes,
});

test("findings are grouped by request, by payment and by kind", () => {
  const twice = finding("charges_twice", [1, 4], { checkout_request_id: "ws_CO_1" });
  const fast = finding("polls_too_fast", [4, 5], { checkout_request_id: "ws_CO_1" });
  const again = finding("polls_too_fast", [6]);
  expect([...findingsByCall([twice, fast])]).toEqual([
    [1, [twice]],
    [4, [twice, fast]],
    [5, [fast]],
  ]);
  expect([...findingsByPayment([twice, fast, again])]).toEqual([["ws_CO_1", [twice, fast]]]);
  expect([...findingsByKind([twice, fast, again]).keys()]).toEqual(["charges_twice", "polls_too_fast"]);
  expect(labelsOf([fast, twice, again])).toBe("polls too fast, charges twice");
});

test("a finding that is marked as known is hidden until it happens again", () => {
  const first = finding("charges_twice", [1], { checkout_request_id: "ws_CO_1" });
  const acknowledged = acknowledge({}, [first]);
  expect(isAcknowledged(first, {})).toBe(false);
  expect(isAcknowledged(first, acknowledged)).toBe(true);
  expect(isAcknowledged({ ...first, count: 2 }, acknowledged)).toBe(false);
  expect(isAcknowledged({ ...first, checkout_request_id: "ws_CO_2" }, acknowledged)).toBe(false);
});

test("of 1,001 known findings the last 1,000 are remembered", () => {
  const many = Array.from({ length: 1001 }, (_, index) => finding("unknown_path", [], { message: `path ${index}` }));
  const acknowledged = acknowledge({}, many);
  const isKnown = many.map((one) => isAcknowledged(one, acknowledged));
  expect(isKnown).toEqual([false, ...Array<boolean>(1000).fill(true)]);
});
