import { describe, expect, test } from "bun:test";
import { countdown, sandboxNowMs } from "../../../sandbox/console/browser/logic/countdown.ts";
import {
  dayAt,
  formatAmount,
  formatInterval,
  formatPhone,
  instantOf,
  longDayOf,
  wallClock,
} from "../../../sandbox/console/browser/logic/format.ts";

describe("the sandbox's clock, by the last reading", () => {
  test("goes on with the time that passes", () => {
    expect(sandboxNowMs({ now_ms: 1000, frozen: false, takenAtMs: 500 }, 700)).toBe(1200);
  });

  test("stands still where it is frozen", () => {
    expect(sandboxNowMs({ now_ms: 1000, frozen: true, takenAtMs: 500 }, 99_999)).toBe(1000);
  });
});

describe("a countdown", () => {
  const cases: readonly (readonly [nowMs: number, text: string, share: number])[] = [
    [0, "1:00", 1],
    [1, "1:00", 59_999 / 60_000],
    [1000, "0:59", 59 / 60],
    [59_999, "0:01", 1 / 60_000],
    [60_000, "0:00", 0],
    [70_000, "0:00", 0],
    [-5000, "1:00", 1],
  ];
  for (const [nowMs, text, share] of cases) {
    test(`after ${nowMs} of 60,000 ms: ${text}`, () => {
      expect(countdown(0, 60_000, nowMs)).toEqual({ text, share });
    });
  }
});

describe("how things are written", () => {
  test("amounts in shillings and cents", () => {
    expect([1, 1200.5, 999_999_999.99].map(formatAmount)).toEqual(["1.00", "1,200.50", "999,999,999.99"]);
  });

  test("phones as people in Kenya write them; anything else as it is", () => {
    expect(["254712345678", "254110000001", "", "<b>"].map(formatPhone)).toEqual([
      "0712 345 678",
      "0110 000 001",
      "",
      "<b>",
    ]);
  });

  test("intervals", () => {
    const texts = [0, 0.34, 2.96, 350, 999, 1000, 2990, 9999, 48_000, 60_000, 185_000, 3_600_000, 5_400_000];
    expect(texts.map(formatInterval)).toEqual([
      ...["0 ms", "0.3 ms", "3 ms", "350 ms", "999 ms", "1 s", "2.9 s", "9.9 s", "48 s"],
      ...["1 min", "3 min 5 s", "1 h", "1 h 30 min"],
    ]);
  });

  test("instants in Nairobi, whatever the zone of the browser", () => {
    const atMs = Date.UTC(2026, 10, 20, 22, 30, 5);
    expect(wallClock(atMs)).toBe("01:30:05");
    expect(dayAt(atMs)).toBe("2026-11-21");
    expect(longDayOf(atMs)).toBe("Saturday 21 November");
    expect(instantOf("2026-11-21 01:30:05")).toBe(atMs);
  });
});
