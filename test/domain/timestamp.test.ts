import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatDuration, parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import {
  dayOf,
  endOfDayMs,
  formatDay,
  formatTimestamp,
  parseDay,
  parseInstant,
  startOfDayMs,
} from "../../src/domain/timestamp.ts";
import { keepEnvironment } from "../support/cleanup.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_DURATION_MS = 24 * 60 * 60 * 1000;

keepEnvironment();

describe("timestamps are YYYY-MM-DD HH:MM:SS in Nairobi, whatever the host's zone", () => {
  test.each(["Pacific/Kiritimati", "America/New_York", "Africa/Nairobi", "UTC"])("TZ=%s", (zone) => {
    process.env.TZ = zone;
    expect(new Date(0).getTimezoneOffset() === 0).toBe(zone === "UTC");
    expect(formatTimestamp(Date.UTC(2026, 9, 2, 15, 11, 9, 999))).toBe("2026-10-02 18:11:09");
    expect(formatDay(dayOf(Date.UTC(2026, 11, 31, 20, 59, 59, 999)))).toBe("2026-12-31");
    expect<number | null>(parseDay("1970-01-02")).toBe(1);
  });

  test("they agree with the database of time zones", () => {
    const zone = { timeZone: "Africa/Nairobi", dateStyle: "short", timeStyle: "medium" } as const;
    const database = new Intl.DateTimeFormat("sv-SE", zone);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }), (atMs) => {
        expect(formatTimestamp(atMs)).toBe(database.format(atMs));
      }),
    );
  });
});

describe("a day is Nairobi's, from its first millisecond to its last", () => {
  test("every instant is in its own day", () => {
    const lastMs = Date.UTC(9999, 11, 31, 20, 59, 59, 999);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lastMs }), (atMs) => {
        const day = dayOf(atMs);
        expect(startOfDayMs(day) <= atMs && atMs < endOfDayMs(day)).toBe(true);
        expect(formatTimestamp(atMs)).toStartWith(formatDay(day));
        expect(parseDay(formatDay(day))).toBe(day);
      }),
    );
  });

  test("it begins and ends at midnight in Nairobi: 21:00 UTC of the day before", () => {
    const day = dayOf(Date.UTC(2026, 2, 1, 12));
    expect([startOfDayMs(day), endOfDayMs(day)]).toEqual([Date.UTC(2026, 1, 28, 21), Date.UTC(2026, 2, 1, 21)]);
    expect([dayOf(startOfDayMs(day) - 1), dayOf(startOfDayMs(day)), dayOf(endOfDayMs(day))]).toEqual(
      [-1, 0, 1].map((offset) => (day + offset) as typeof day),
    );
  });
});

describe("a day is written YYYY-MM-DD", () => {
  const NOT_IN_CALENDAR = ["2026-02-30", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00"];
  const OTHER_FORMS = ["", "2026-1-1", "2026-01-01 ", "2026-01-01\n", "20260101", "01-01-2026", "2026-01-01T00:00:00"];
  const OTHER_DIGITS = ["+02026-01-01", "-2026-01-01", "٢٠٢٦-٠١-٠١"];
  test.each([...NOT_IN_CALENDAR, ...OTHER_FORMS, ...OTHER_DIGITS])("not %j", (text) => {
    expect(parseDay(text)).toBeNull();
  });
});

describe("an instant is a time in Nairobi, or one with an offset of its own", () => {
  test.each([
    ["2026-11-27", Date.UTC(2026, 10, 26, 21)],
    ["2026-11-27 00:30", Date.UTC(2026, 10, 26, 21, 30)],
    ["2026-11-27T00:30:05.25", Date.UTC(2026, 10, 26, 21, 30, 5, 250)],
    ["2026-11-26T21:30:00Z", Date.UTC(2026, 10, 26, 21, 30)],
    ["2026-11-26 16:30:00-05:00", Date.UTC(2026, 10, 26, 21, 30)],
  ])("%s", (text, atMs) => expect(parseInstant(text)).toBe(atMs));

  test.each(["2026-11-27 24:00", "2026-11-27 25:00", "2026-02-30 10:00", "2026-11-27 1:30", "10:00"])(
    "not %j",
    (text) => expect(parseInstant(text)).toBeNull(),
  );
});

describe("a duration is 250ms, 3s, 2m, 1h, at most 24h", () => {
  test.each([
    ["250ms", 250],
    ["3s", 3000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["0s", 0],
    ["007s", 7000],
    ["24h", 86_400_000],
    ["86400000ms", 86_400_000],
  ])("%s is %p milliseconds", (text, ms) => {
    expect(parseDuration(text, "after")).toBe(ms);
  });

  const REFUSED = ["", "3", "s", "3 s", " 3s", "3s\n", "-3s", "+3s", "1.5s", "1e3s", "3S", "3d", "1h30m", "٣s", "NaNs"];
  test.each([...REFUSED, "25h", "86400001ms", "999999999ms"])("%j is refused", (text) => {
    expect(() => parseDuration(text, "after")).toThrow(Refusal);
    expect(() => parseDuration(text, "after")).toThrow(
      "after is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h",
    );
  });

  test("it is written in the shortest way", () => {
    const written = [0, 1, 1500, 90_000, 120_000, 86_400_000].map(formatDuration);
    expect(written).toEqual(["0s", "1ms", "1500ms", "90s", "2m", "24h"]);
  });

  test("every duration that is written is read as the same", () => {
    const unit = fc.constantFrom(1, 1000, 60_000, 3_600_000);
    fc.assert(
      fc.property(fc.nat(MAX_DURATION_MS), unit, (drawnMs, unitMs) => {
        const ms = drawnMs - (drawnMs % unitMs);
        expect(parseDuration(formatDuration(ms), "it")).toBe(ms);
      }),
    );
  });
});
