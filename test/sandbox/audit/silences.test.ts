import { describe, expect, test } from "bun:test";
import { KEPT_ASKING_MS, NEVER_POLLED_MS } from "../../../sandbox/audit/silences.ts";
import { type AuditedCalls, auditCalls, LOST, onlyFinding } from "../../support/audited-calls.ts";

/** Asks every so often, for so long. */
function pollFor(calls: AuditedCalls, id: string, durationMs: number, intervalMs = 5000): void {
  for (let sinceMs = intervalMs; sinceMs <= durationMs; sinceMs += intervalMs) {
    calls.live(intervalMs);
    calls.poll(id, "pending");
  }
}

describe("never polling", () => {
  test("is an error at the push, 30 s after it", () => {
    const calls = auditCalls();
    const id = calls.push("A");
    calls.live(NEVER_POLLED_MS - 1);
    expect(calls.kinds()).toEqual([]);
    calls.live(1);
    expect(onlyFinding(calls)).toMatchObject({
      kind: "never_polls",
      severity: "error",
      request_ids: [1],
      checkout_request_id: id,
      first_at: "2026-11-20 10:00:00",
    });
  });

  test("is a note where a webhook is set", () => {
    const calls = auditCalls({ hasWebhook: true });
    calls.push();
    calls.live(NEVER_POLLED_MS);
    expect(onlyFinding(calls)).toMatchObject({ kind: "never_polls", severity: "note" });
  });

  test("is none where the clock was moved, or stands still: the client had no time to ask", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.jump(600_000);
    calls.end(id, "expired");
    calls.stand(600_000);
    calls.live(NEVER_POLLED_MS - 1);
    expect(calls.kinds()).toEqual([]);
  });

  test("a late poll ends it, and so does a list that shows the payment", () => {
    const calls = auditCalls();
    const [one, other] = [calls.push(), calls.push()];
    calls.live(NEVER_POLLED_MS);
    expect(calls.kinds()).toEqual(["never_polls", "never_polls"]);
    calls.poll(one, "pending");
    calls.list("", { [other]: "pending" });
    expect(calls.kinds()).toEqual([]);
  });

  test("after a lost answer a client cannot ask, but look", () => {
    for (const looks of [false, true]) {
      const calls = auditCalls();
      calls.push("A", LOST);
      if (looks) calls.list("search=A", {}, { status: 503, fault: "error" });
      calls.live(NEVER_POLLED_MS);
      expect(calls.kinds()).toEqual(looks ? [] : ["never_polls"]);
    }
  });

  test("a push that was refused, or that nobody made, needs no poll", () => {
    const calls = auditCalls();
    calls.refuse(400);
    calls.live(NEVER_POLLED_MS);
    expect(calls.kinds()).toEqual([]);
  });
});

describe("giving up early", () => {
  test.each([
    ["completed", "error"],
    ["failed", "warning"],
    ["cancelled", "warning"],
    ["expired", "warning"],
  ] as const)("is for a payment that ends %s later: %s", (status, severity) => {
    const calls = auditCalls();
    const id = calls.push();
    pollFor(calls, id, 20_000);
    calls.live(10_000);
    calls.end(id, status);
    expect(calls.kinds()).toEqual([]);
    calls.live(90_000);
    expect(onlyFinding(calls)).toMatchObject({
      kind: "gives_up_early",
      severity,
      request_ids: [1, 5],
      message: expect.stringContaining("after 20 s"),
    });
  });

  test("who asks again within the pattern, and later too, learns it", () => {
    const calls = auditCalls();
    const id = calls.push();
    pollFor(calls, id, 20_000);
    calls.live(300_000);
    calls.end(id, "completed");
    expect(calls.kinds()).toEqual(["gives_up_early"]);
    calls.poll(id, "completed");
    expect(calls.kinds()).toEqual([]);
  });

  test.each([
    [KEPT_ASKING_MS, 5000],
    [24 * 3000, 3000],
  ])("who asked for %d ms every %d ms has done enough", (durationMs, intervalMs) => {
    const calls = auditCalls();
    const id = calls.push();
    pollFor(calls, id, durationMs, intervalMs);
    calls.live(60_000);
    calls.end(id, "completed");
    calls.live(600_000);
    expect(calls.kinds()).toEqual([]);
  });

  test("is none where the clock was moved: nobody had the time", () => {
    const calls = auditCalls();
    const id = calls.push();
    pollFor(calls, id, 5000);
    calls.jump(600_000);
    calls.end(id, "expired");
    calls.stand(600_000);
    expect(calls.kinds()).toEqual([]);
  });

  test("is none while calls are held up: one may be on its way", () => {
    const calls = auditCalls();
    const id = calls.push();
    pollFor(calls, id, 5000);
    calls.end(id, "completed");
    calls.live(600_000);
    expect(calls.audit.report(null).findings).toEqual([]);
    expect(calls.kinds()).toEqual(["gives_up_early"]);
  });
});

describe("when the client has ended", () => {
  /** Three payments: one asked about, one not, one read to its end. */
  function endClient(disturb: (calls: AuditedCalls) => void): string[] {
    const calls = auditCalls();
    const [asked, unasked, read] = [calls.push(), calls.push(), calls.push()];
    calls.poll(asked, "pending");
    calls.live(2000);
    calls.end(read, "completed");
    calls.poll(read, "completed");
    disturb(calls);
    calls.endClient();
    calls.jump(60_000);
    calls.end(asked, "completed");
    calls.end(unasked, "completed");
    return calls.kinds();
  }

  test("what it has not asked by then it never asks", () => {
    expect(endClient(() => {}).sort()).toEqual(["gives_up_early", "never_polls"]);
  });

  test("payments during which the clock was moved or stood still say nothing", () => {
    expect(endClient((calls) => calls.jump(5000))).toEqual([]);
    expect(endClient((calls) => calls.stand(5000))).toEqual([]);
  });
});
