import { describe, expect, test } from "bun:test";
import { auditCalls, LOST, onlyFinding } from "../../support/audited-calls.ts";

describe("charging a reference twice", () => {
  test("is an error while the first payment is pending, and names both calls", () => {
    const calls = auditCalls();
    calls.push("A");
    calls.live(5000);
    const second = calls.push("A");
    expect(onlyFinding(calls)).toMatchObject({
      kind: "charges_twice",
      severity: "error",
      section: "§4.1",
      request_ids: [1, 2],
      checkout_request_id: second,
      reference: "A",
      first_at: "2026-11-20 10:00:05",
      count: 1,
    });
  });

  test("is none after the first has ended, for another reference, or without one", () => {
    const calls = auditCalls();
    const first = calls.push("A");
    calls.push("B");
    calls.push();
    calls.push();
    calls.push("");
    calls.push("");
    calls.live(3000);
    calls.end(first, "failed");
    calls.live(1);
    calls.push("A");
    expect(calls.kinds()).toEqual([]);
  });

  test("an end that comes after the second does not excuse it", () => {
    const calls = auditCalls();
    const first = calls.push("A");
    calls.live(3000);
    calls.push("A");
    calls.end(first, "failed");
    expect(calls.kinds()).toEqual(["charges_twice"]);
  });

  test("is an error after a lost answer, also where the first payment has ended and nobody looked", () => {
    const calls = auditCalls();
    const first = calls.push("A", LOST);
    calls.live(10_000);
    calls.end(first, "failed");
    calls.live(10_000);
    calls.push("A");
    expect(onlyFinding(calls)).toMatchObject({ kind: "charges_twice", message: expect.stringContaining("was lost") });
  });

  test.each(["failed", "cancelled", "expired"] as const)(
    "who looked, and saw that the lost one was %s, may",
    (status) => {
      const calls = auditCalls();
      const first = calls.push("A", LOST);
      calls.live(10_000);
      calls.end(first, status);
      calls.list("search=A", { [first]: status });
      calls.push("A");
      expect(calls.kinds()).toEqual([]);
    },
  );

  test("who asked the status of the lost one, and read that it failed, may", () => {
    const calls = auditCalls();
    const first = calls.push("A", LOST);
    calls.list("search=A", { [first]: "pending" });
    calls.live(5000);
    calls.end(first, "failed");
    calls.poll(first, "failed");
    calls.push("A");
    expect(calls.kinds()).toEqual([]);
  });

  test("to look and see it pending is no excuse", () => {
    const calls = auditCalls();
    const first = calls.push("A", LOST);
    calls.live(1000);
    calls.list("search=A", { [first]: "pending" });
    calls.live(1000);
    calls.push("A");
    expect(calls.kinds()).toEqual(["charges_twice"]);
  });

  test("a push that is held up is charged again without a look: an error; after a look that showed nothing: none", () => {
    for (const looks of [false, true]) {
      const calls = auditCalls();
      calls.live(10_000);
      if (looks) calls.list("search=A");
      calls.live(1000);
      const second = calls.push("A");
      calls.poll(second, "completed");
      calls.end(second, "completed");
      calls.live(9000);
      // It came first, and was carried out last.
      calls.push("A", { durationMs: 20_000, fault: "delay" });
      expect(calls.kinds().filter((kind) => kind === "charges_twice")).toEqual(looks ? [] : ["charges_twice"]);
    }
  });
});

describe("a refusal read as a payment", () => {
  test.each([[undefined], [null], [""], ["undefined"], ["null"], ["[object Object]"]])(
    "is found where the status of %p is asked, and names both calls",
    (id) => {
      const calls = auditCalls();
      calls.refuse(500);
      calls.poll(id);
      expect(onlyFinding(calls)).toMatchObject({
        kind: "failure_misread",
        severity: "error",
        request_ids: [1, 2],
        message: expect.stringContaining("HTTP 500"),
      });
    },
  );

  test("is found without a refusal as well: nobody has a payment without an id", () => {
    const calls = auditCalls();
    calls.push("A");
    calls.poll(undefined);
    expect(calls.kinds()).toEqual(["failure_misread"]);
  });

  test("is found where the order's own number is asked for after a refusal", () => {
    const calls = auditCalls();
    calls.refuse(400);
    calls.poll("ORDER-7");
    expect(calls.kinds()).toEqual(["failure_misread"]);
  });

  test("asking about a payment that this sandbox has forgotten is none, and neither is an id under a wrong name", () => {
    const calls = auditCalls();
    calls.refuse(400);
    calls.poll("ws_CO_20112026100000_FORGOTTEN");
    calls.call({ body: '{"checkoutRequestId":"ws_CO_1"}', status: 400 });
    expect(calls.kinds()).toEqual(["unknown_member"]);
  });
});
