import { describe, expect, test } from "bun:test";
import { MOST_POLLERS } from "../../../sandbox/audit/payments.ts";
import { FASTEST_POLL_MS } from "../../../sandbox/audit/polls.ts";
import { auditCalls, LOST, onlyFinding } from "../../support/audited-calls.ts";

describe("polling faster than 3 s", () => {
  test("is a warning at each poll that comes too early, and says after how long", () => {
    const calls = auditCalls();
    const id = calls.push();
    for (const waitMs of [500, 1200, 1000, 3000]) {
      calls.live(waitMs);
      calls.poll(id, "pending");
    }
    expect(onlyFinding(calls)).toMatchObject({
      kind: "polls_too_fast",
      severity: "warning",
      request_ids: [3, 4],
      count: 2,
      message: expect.stringContaining("after 1.2 s"),
    });
  });

  test("a busy machine is allowed half a second", () => {
    for (const [waitMs, kinds] of [
      [FASTEST_POLL_MS, []],
      [FASTEST_POLL_MS - 1, ["polls_too_fast"]],
    ] as const) {
      const calls = auditCalls();
      const id = calls.push();
      calls.poll(id, "pending");
      calls.live(waitMs);
      calls.poll(id, "pending");
      expect(calls.kinds()).toEqual([...kinds]);
    }
  });

  test("while the clock stands still or is moved, intervals say nothing", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.poll(id, "pending");
    calls.stand(1000);
    calls.poll(id, "pending");
    calls.jump(1000);
    calls.poll(id, "pending");
    calls.live(500);
    calls.stand(5000);
    calls.poll(id, "pending");
    expect(calls.kinds()).toEqual([]);
  });

  test("asking again after an error or a lost answer is none", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.poll(id, undefined, { status: 503, fault: "error" });
    calls.live(100);
    calls.poll(id, "pending", LOST);
    calls.live(100);
    calls.poll(id, "pending");
    expect(calls.kinds()).toEqual([]);
  });

  test("other payments, other programs, and polls at the same time are none", () => {
    const calls = auditCalls();
    const [one, other] = [calls.push(), calls.push()];
    calls.poll(one, "pending");
    calls.live(100);
    calls.poll(other, "pending");
    calls.poll(one, "pending", { headers: new Headers({ "User-Agent": "curl/8" }) });
    calls.live(2000);
    // It came before the last one was answered.
    calls.poll(one, "pending", { durationMs: 2101 });
    expect(calls.kinds()).toEqual([]);
  });

  test(`of more than ${MOST_POLLERS} programs that ask about one payment the oldest is forgotten`, () => {
    const calls = auditCalls();
    const id = calls.push();
    const ask = (client: number) =>
      calls.poll(id, "completed", { headers: new Headers({ "User-Agent": `client ${client}` }) });
    for (let client = 0; client <= MOST_POLLERS; client += 1) ask(client);
    calls.live(3000);
    ask(0);
    expect(calls.kinds()).toEqual([]);
    ask(MOST_POLLERS);
    expect(calls.kinds()).toEqual(["polls_after_completed"]);
  });
});

describe("polling on after the end", () => {
  test.each(["failed", "cancelled", "expired"] as const)("after %s is an error that names the status", (status) => {
    const calls = auditCalls();
    const id = calls.push("A");
    calls.poll(id, status);
    calls.live(5000);
    calls.poll(id, status);
    calls.live(5000);
    calls.poll(id, status);
    expect(onlyFinding(calls)).toMatchObject({
      kind: "ignores_final",
      severity: "error",
      request_ids: [3, 4],
      count: 2,
      reference: "A",
      message: expect.stringContaining(`“${status}”`),
    });
  });

  test("after completed is a warning: who credits at each answer credits again", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.poll(id, "completed");
    calls.live(3000);
    calls.poll(id, "completed");
    expect(onlyFinding(calls)).toMatchObject({ kind: "polls_after_completed", severity: "warning" });
  });

  test("is found while the clock stands still, too", () => {
    const calls = auditCalls();
    const id = calls.push();
    for (let poll = 0; poll < 3; poll += 1) {
      calls.poll(id, "cancelled");
      calls.stand(2);
    }
    expect(onlyFinding(calls)).toMatchObject({ kind: "ignores_final", count: 1 });
  });

  test("one poll that races with the answer is none, nor is one that was under way", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.poll(id, "completed");
    calls.live(10);
    calls.poll(id, "completed");
    calls.live(1000);
    calls.poll(id, "completed", { durationMs: 1500 });
    expect(calls.kinds()).toEqual([]);
    calls.poll(id, "completed");
    expect(calls.kinds()).toEqual(["polls_after_completed"]);
  });

  test("an answer that was lost or came late may not have been read", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.poll(id, "failed", LOST);
    calls.live(5000);
    calls.poll(id, "failed", { fault: "delay" });
    calls.live(5000);
    calls.poll(id, "failed");
    expect(calls.kinds()).toEqual([]);
  });

  test("one look long after the end is none", () => {
    const calls = auditCalls();
    const id = calls.push();
    calls.poll(id, "completed");
    calls.live(3_600_000);
    calls.poll(id, "completed");
    expect(calls.kinds()).toEqual([]);
  });
});
