import { describe, expect, test } from "bun:test";
import { countdown, sandboxNowMs } from "../../../sandbox/console/browser/logic/countdown.ts";
import { dayAt, instantOf, longDayOf, wallClock } from "../../../sandbox/console/browser/logic/format.ts";
import { timelineOf } from "../../../sandbox/console/browser/logic/timeline.ts";

test("the sandbox's time goes on from the last reading, unless it is frozen", () => {
  expect(sandboxNowMs({ now_ms: 1000, frozen: false, takenAtMs: 500 }, 700)).toBe(1200);
  expect(sandboxNowMs({ now_ms: 1000, frozen: true, takenAtMs: 500 }, 99_999)).toBe(1000);
});

test.each([
  [0, "1:00", 1],
  [1, "1:00", 59_999 / 60_000],
  [1000, "0:59", 59 / 60],
  [59_999, "0:01", 1 / 60_000],
  [60_000, "0:00", 0],
  [70_000, "0:00", 0],
  [-5000, "1:00", 1],
])("a countdown of one minute, after %d ms: %s", (nowMs, text, share) => {
  expect(countdown(0, 60_000, nowMs)).toEqual({ text, share });
});

test("times are in Nairobi, in every time zone of the browser", () => {
  const atMs = Date.UTC(2026, 10, 20, 22, 30, 5);
  expect(wallClock(atMs)).toBe("01:30:05");
  expect(dayAt(atMs)).toBe("2026-11-21");
  expect(longDayOf(atMs)).toBe("Saturday 21 November");
  expect(instantOf("2026-11-21 01:30:05")).toBe(atMs);
});

describe("the line of a payment, to scale", () => {
  const startMs = Date.UTC(2026, 10, 20, 7);
  const request = (target: string, afterMs: number, interval_ms: number | null) => ({
    target: `/v2/${target}`,
    at_ms: startMs + afterMs,
    interval_ms,
    status: 200,
  });
  const line = (status: string, requests: object[], at_ms: number | null) =>
    timelineOf({
      transaction: { status, created_at: "2026-11-20 10:00:00" },
      prompt: { expires_at_ms: startMs + 60_000 },
      decided_by: { at_ms },
      requests,
      webhooks: [],
    } as unknown as Parameters<typeof timelineOf>[0]);

  test("has each poll, early or late after the request before, and the 3 to 5 s that are recommended", () => {
    const requests = [
      request("stkpush.php", 0, null),
      request("status.php", 1000, 1000),
      request("status.php", 5000, 4000),
      request("status.php", 20_000, 15_000),
    ];
    const { lengthMs, marks, bands, endsAt } = line("completed", requests, startMs + 10_000);
    const msOf = (share?: number | null) => Math.round((share ?? 0) * lengthMs);
    expect(marks.map(({ at, pace }) => [msOf(at), pace])).toEqual([
      [1000, "early"],
      [5000, "right"],
      [20_000, "late"],
    ]);
    expect(msOf(endsAt)).toBe(10_000);
    expect([msOf(bands[0]?.from), msOf(bands[0]?.to)]).toEqual([3000, 5000]);
  });

  test.each([
    [2849, "early"],
    [2850, "right"],
    [5150, "right"],
    [5151, "late"],
  ])("a poll %d ms after the request before is %s", (intervalMs, pace) => {
    const { marks } = line("pending", [request("stkpush.php", 0, null), request("status.php", 9000, intervalMs)], null);
    expect(marks.map((mark) => mark.pace)).toEqual([pace as "early"]);
  });

  test("of a pending payment ends with its prompt, and has no end if a person decides", () => {
    expect(line("pending", [], null)).toMatchObject({ lengthMs: 60_000, expiresAt: 1, endsAt: null, marks: [] });
  });
});
