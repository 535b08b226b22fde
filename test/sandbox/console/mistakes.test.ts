import { describe, expect, test } from "bun:test";
import { findMistakes, type KnownEnd } from "../../../sandbox/console/browser/logic/mistakes.ts";
import type { LoggedRequest } from "../../../sandbox/console/browser/wire.ts";

const LIFETIME_MS = 60_000;

/** A log in which calls get their numbers by their order. */
function logOf(...calls: readonly Partial<LoggedRequest>[]): LoggedRequest[] {
  return calls.map((call, index) => ({
    id: index + 1,
    at: "2026-11-20 10:00:00",
    at_ms: 0,
    duration_ms: 1,
    method: "POST",
    target: "/v2/status.php",
    headers: {},
    body: null,
    body_cut_bytes: 0,
    status: 200,
    answer: {},
    answer_cut_bytes: 0,
    fault: null,
    leniencies: [],
    lenient_takes: false,
    ...call,
  }));
}

function start(at_ms: number, id: string, reference?: string): Partial<LoggedRequest> {
  return {
    at_ms,
    target: "/v2/stkpush.php",
    body: JSON.stringify({ amount: 1, reference }),
    answer: { success: true, checkout_request_id: id },
  };
}

function poll(at_ms: number, id: string, status = "pending"): Partial<LoggedRequest> {
  return { at_ms, body: JSON.stringify({ checkout_request_id: id }), answer: { success: true, status } };
}

/** The kinds of mistakes by the place of the call in the log, from 1. */
function kindsIn(
  log: readonly LoggedRequest[],
  { ends = {}, nowMs = 0 }: { ends?: Record<string, KnownEnd>; nowMs?: number } = {},
): Record<number, string[]> {
  const found = findMistakes(log, (id) => ends[id], nowMs, LIFETIME_MS);
  return Object.fromEntries([...found].map(([id, mistakes]) => [id, mistakes.map(({ kind }) => kind)]));
}

test("a client that does as §4.4 says makes none", () => {
  const log = logOf(start(0, "a", "R"), poll(3000, "a"), poll(6000, "a"), poll(11_000, "a", "completed"));
  expect(kindsIn(log, { nowMs: 100_000 })).toEqual({});
});

describe("polling faster than 3 s", () => {
  test("is found at the poll that came too early, between polls of one payment", () => {
    const log = logOf(start(0, "a"), poll(500, "a"), poll(600, "b"), poll(3499, "a"), poll(6499, "a"));
    expect(kindsIn(log)).toEqual({ 4: ["polls_too_fast"] });
  });

  test("says after how long", () => {
    const found = findMistakes(logOf(poll(0, "a"), poll(1200, "a")), () => undefined, 0, LIFETIME_MS);
    expect(found.get(2)?.[0]?.words).toStartWith("Asked again after 1.2 s. ");
  });

  test("while the clock stands still, nobody can be too fast", () => {
    expect(kindsIn(logOf(poll(5, "a"), poll(5, "a")))).toEqual({});
  });
});

describe("polling on after a final state", () => {
  test("is found at every poll after the first that was told", () => {
    const log = logOf(poll(0, "a", "completed"), poll(5000, "a", "completed"), poll(10_000, "a", "completed"));
    expect(kindsIn(log)).toEqual({ 2: ["polls_after_final"], 3: ["polls_after_final"] });
  });

  test("after a failure it is a failure read as pending, and said so", () => {
    const log = logOf(poll(0, "a", "failed"), poll(5000, "a", "failed"));
    const [mistake] = findMistakes(log, () => undefined, 0, LIFETIME_MS).get(2) ?? [];
    expect(mistake?.words).toContain("reads a failure as “pending”");
  });

  test("an answer that was lost told nobody", () => {
    const lost = { ...poll(0, "a"), status: null, answer: null, fault: "disconnect" };
    expect(kindsIn(logOf(lost, poll(5000, "a", "failed")))).toEqual({});
  });
});

describe("never polling", () => {
  test("is found at the start, half a minute after it", () => {
    expect(kindsIn(logOf(start(0, "a")), { nowMs: 29_999 })).toEqual({});
    expect(kindsIn(logOf(start(0, "a")), { nowMs: 30_000 })).toEqual({ 1: ["never_polls"] });
  });

  test("a start that was refused needs no poll", () => {
    const refused = { ...start(0, "a"), status: 400, answer: { success: false, message: "amount" } };
    expect(kindsIn(logOf(refused), { nowMs: 60_000 })).toEqual({});
  });
});

describe("the same reference charged twice while one is pending", () => {
  const twice = logOf(start(0, "a", "R"), start(5000, "b", "R"));

  test("is found at the second", () => {
    expect(kindsIn(twice)).toEqual({ 2: ["charged_twice"] });
    expect(kindsIn(logOf(start(0, "a", "R"), poll(3000, "a"), start(5000, "b", "R")))).toEqual({
      3: ["charged_twice"],
    });
  });

  test("another reference, or none, is another payment", () => {
    expect(kindsIn(logOf(start(0, "a", "R"), start(1, "b", "S"), start(2, "c"), start(3, "d")))).toEqual({});
  });

  test("after the first has ended it is a new attempt, however the page came to know", () => {
    expect(kindsIn(logOf(start(0, "a", "R"), poll(3000, "a", "failed"), start(5000, "b", "R")))).toEqual({});
    const end = { status: "failed", endedAtMs: null, afterRequestId: null } as const;
    expect(kindsIn(twice, { ends: { a: end } })).toEqual({});
    expect(kindsIn(twice, { ends: { a: { ...end, status: "completed", endedAtMs: 4000 } } })).toEqual({});
    expect(kindsIn(twice, { ends: { a: { ...end, afterRequestId: 1 } } })).toEqual({});
    expect(kindsIn(logOf(start(0, "a", "R"), start(LIFETIME_MS, "b", "R")))).toEqual({});
  });

  test("an end that came later does not excuse it", () => {
    const end = { status: "failed", endedAtMs: null, afterRequestId: null } as const;
    expect(kindsIn(twice, { ends: { a: { ...end, afterRequestId: 2 } } })).toEqual({ 2: ["charged_twice"] });
    expect(kindsIn(twice, { ends: { a: { ...end, endedAtMs: 6000 } } })).toEqual({ 2: ["charged_twice"] });
  });

  test("where the answer to the first was lost, it says where to look", () => {
    const lost = { ...start(0, "a", "R"), status: null, answer: null, fault: "disconnect" };
    const [mistake] = findMistakes(logOf(lost, start(1, "b", "R")), () => undefined, 0, LIFETIME_MS).get(2) ?? [];
    expect(mistake?.words).toContain("The answer to the first charge was lost, the charge was not");
  });
});

describe("a refusal read as a payment", () => {
  const refused = { ...start(0, ""), status: 500, answer: { success: false, message: "STK push initiation failed" } };

  test("is found where the status of nothing is asked", () => {
    const asked = { ...poll(3000, "undefined"), status: 404, answer: { success: false, message: "unknown" } };
    expect(kindsIn(logOf(refused, asked))).toEqual({ 2: ["failure_misread"] });
  });

  test("asking about an earlier payment is none", () => {
    expect(kindsIn(logOf(start(0, "a"), refused, poll(3000, "a")))).toEqual({});
  });
});

test("what is no JSON, or not of these operations, is nobody's mistake", () => {
  const log = logOf({ body: "{" }, { body: "[1]" }, { body: '"x"' }, { target: "/v2/transactions.php", method: "GET" });
  expect(kindsIn(log, { nowMs: 1e9 })).toEqual({});
});
