import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  dayOf,
  endOfDayMs,
  formatDay,
  formatTimestamp,
  nairobiParts,
  parseDay,
  startOfDayMs,
} from "../../src/domain/timestamp.ts";

const hostZone = process.env.TZ;
afterEach(() => {
  if (hostZone === undefined) delete process.env.TZ;
  else process.env.TZ = hostZone;
});

/** From 1970 to the end of 9999. */
const anyInstant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 20, 59, 59, 999) });
const ICU = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Africa/Nairobi",
  dateStyle: "short",
  timeStyle: "medium",
});

describe("timestamps are YYYY-MM-DD HH:MM:SS in Nairobi, whatever the host's zone", () => {
  test.each(["Pacific/Kiritimati", "America/New_York", "Africa/Nairobi", "Asia/Kolkata", "UTC"])("TZ=%s", (zone) => {
    process.env.TZ = zone;
    expect(new Date(0).getTimezoneOffset() === 0).toBe(zone === "UTC");
    expect(formatTimestamp(Date.UTC(2026, 9, 2, 15, 11, 9, 999))).toBe("2026-10-02 18:11:09");
    expect(formatTimestamp(Date.UTC(2026, 11, 31, 21, 0, 0))).toBe("2027-01-01 00:00:00");
    expect(formatDay(dayOf(Date.UTC(2026, 11, 31, 20, 59, 59, 999)))).toBe("2026-12-31");
    expect<number | null>(parseDay("1970-01-02")).toBe(1);
    expect(nairobiParts(Date.UTC(2026, 9, 2, 21, 0, 0))).toEqual({
      year: 2026,
      month: 10,
      day: 3,
      hour: 0,
      minute: 0,
      second: 0,
    });
  });

  test("they are what the zone database says of Nairobi", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }), (atMs) => {
        expect(formatTimestamp(atMs)).toBe(ICU.format(atMs));
      }),
    );
  });

  test("they sort like the instants they show", () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (a, b) => {
        if (a <= b) expect(formatTimestamp(a) <= formatTimestamp(b)).toBe(true);
      }),
    );
  });

  test("the parts are those of the text", () => {
    fc.assert(
      fc.property(anyInstant, (atMs) => {
        const { year, month, day, hour, minute, second } = nairobiParts(atMs);
        const [date = "", time = ""] = formatTimestamp(atMs).split(" ");
        expect(date.split("-").map(Number)).toEqual([year, month, day]);
        expect(time.split(":").map(Number)).toEqual([hour, minute, second]);
      }),
    );
  });
});

describe("a day is Nairobi's, from its first millisecond to its last", () => {
  test("every instant lies in its own day and in no other", () => {
    fc.assert(
      fc.property(anyInstant, (atMs) => {
        const day = dayOf(atMs);
        expect(startOfDayMs(day) <= atMs && atMs < endOfDayMs(day)).toBe(true);
        expect(formatTimestamp(atMs)).toStartWith(formatDay(day));
      }),
    );
  });

  test("the bounds are midnight in Nairobi: 21:00 UTC of the day before", () => {
    const day = parseDay("2026-03-01");
    if (day === null) throw new Error("the calendar has this day");
    expect(startOfDayMs(day)).toBe(Date.UTC(2026, 1, 28, 21));
    expect(endOfDayMs(day)).toBe(Date.UTC(2026, 2, 1, 21));
    expect(formatTimestamp(startOfDayMs(day))).toBe("2026-03-01 00:00:00");
    expect(formatTimestamp(endOfDayMs(day) - 1)).toBe("2026-03-01 23:59:59");
    expect<number>(dayOf(startOfDayMs(day) - 1)).toBe(day - 1);
    expect<number>(dayOf(endOfDayMs(day))).toBe(day + 1);
  });
});

describe("a day is written YYYY-MM-DD", () => {
  test.each(["2024-02-29", "2000-02-29", "2026-02-28", "2026-12-31", "1970-01-01", "9999-12-31", "2026-01-31"])(
    "%s comes back as it went in",
    (text) => {
      const day = parseDay(text);
      expect(day).not.toBeNull();
      expect(formatDay(day ?? dayOf(0))).toBe(text);
    },
  );

  test.each([
    "2026-02-30",
    "2026-02-29",
    "1900-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-01-32",
    "",
    "2026-1-1",
    "2026-01-01 ",
    " 2026-01-01",
    "2026-01-01\n",
    "20260101",
    "2026/01/01",
    "01-01-2026",
    "2026-01-01T00:00:00",
    "+02026-01-01",
    "-2026-01-01",
    "٢٠٢٦-٠١-٠١",
    "today",
  ])("%p is no day of the calendar", (text) => {
    expect(parseDay(text)).toBeNull();
  });

  test("every day that is written is read as the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_932_896 }), (count) => {
        const day = dayOf(count * 86_400_000);
        expect(parseDay(formatDay(day))).toBe(day);
      }),
    );
  });
});
