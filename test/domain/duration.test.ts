import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatDuration, MAX_DURATION_MS, parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";

describe("a DURATION is 250ms, 3s, 2m, 1h", () => {
  test.each([
    ["250ms", 250],
    ["3s", 3000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["0s", 0],
    ["0ms", 0],
    ["007s", 7000],
    ["24h", 86_400_000],
    ["1440m", 86_400_000],
    ["86400s", 86_400_000],
    ["86400000ms", 86_400_000],
  ])("%s is %p milliseconds", (text, ms) => {
    expect(parseDuration(text, "after")).toBe(ms);
  });

  test.each([
    "",
    "3",
    "s",
    "3 s",
    " 3s",
    "3s ",
    "3s\n",
    "-3s",
    "+3s",
    "1.5s",
    "1e3s",
    "3S",
    "3sec",
    "3d",
    "1h30m",
    "25h",
    "86400001ms",
    "86401s",
    "99999999h",
    "999999999ms",
    "٣s",
    "Infinitys",
    "NaNs",
  ])("%p is refused", (text) => {
    expect(() => parseDuration(text, "after")).toThrow(Refusal);
    expect(() => parseDuration(text, "after")).toThrow(
      "after is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h",
    );
  });

  test("every duration that is written is read as the same", () => {
    const any = fc.oneof(
      fc.integer({ min: 0, max: MAX_DURATION_MS }),
      fc.integer({ min: 0, max: 86_400 }).map((s) => s * 1000),
      fc.integer({ min: 0, max: 1440 }).map((m) => m * 60_000),
    );
    fc.assert(fc.property(any, (ms) => expect(parseDuration(formatDuration(ms), "it")).toBe(ms)));
  });

  test.each([
    [0, "0s"],
    [1, "1ms"],
    [1500, "1500ms"],
    [3000, "3s"],
    [90_000, "90s"],
    [120_000, "2m"],
    [3_600_000, "1h"],
    [86_400_000, "24h"],
  ])("%p milliseconds are written in the shortest way: %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
