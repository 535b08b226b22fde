import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatDuration, MAX_DURATION_MS, parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";

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

  test.each([
    [0, "0s"],
    [1, "1ms"],
    [1500, "1500ms"],
    [90_000, "90s"],
    [120_000, "2m"],
    [86_400_000, "24h"],
  ])("%p milliseconds are written in the shortest way: %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
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
