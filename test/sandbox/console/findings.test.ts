import { describe, expect, test } from "bun:test";
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

test("a finding shows at each of its calls and at its payment, beside others, and among its kind", () => {
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
});

test("labels are the kinds in words, each once", () => {
  const kinds = (["polls_after_completed", "charges_twice", "charges_twice"] as const).map((kind) => finding(kind, []));
  expect(labelsOf(kinds)).toBe("polls after completed, charges twice");
});

describe("what somebody has taken note of", () => {
  const first = finding("charges_twice", [1], { checkout_request_id: "ws_CO_1" });

  test("is folded away until it happens again", () => {
    const acknowledged = acknowledge({}, [first]);
    expect(isAcknowledged(first, {})).toBe(false);
    expect(isAcknowledged(first, acknowledged)).toBe(true);
    expect(isAcknowledged({ ...first, count: 2 }, acknowledged)).toBe(false);
    expect(isAcknowledged({ ...first, checkout_request_id: "ws_CO_2" }, acknowledged)).toBe(false);
  });

  test("of a thousand and one findings, the last thousand are remembered", () => {
    const many = Array.from({ length: 1001 }, (_, index) => finding("unknown_path", [], { message: `path ${index}` }));
    const acknowledged = acknowledge({}, many);
    expect(Object.keys(acknowledged)).toHaveLength(1000);
    expect(isAcknowledged(finding("unknown_path", [], { message: "path 1000" }), acknowledged)).toBe(true);
  });
});
