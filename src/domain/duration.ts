import { invalidAt } from "./error.ts";

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Longest duration accepted anywhere: a day. */
export const MAX_DURATION_MS = 24 * UNIT_MS.h;

/**
 * A duration as people write it: `250ms`, `3s`, `2m`, `1h`; whole numbers, from nothing to a day.
 * @param what named in the refusal, such as `after` or `--after`
 * @throws Refusal `invalid`
 */
export function parseDuration(text: string, what = "duration"): number {
  const match = /^([0-9]{1,8})(ms|s|m|h)$/.exec(text);
  const durationMs = match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : Number.NaN;
  if (!(durationMs <= MAX_DURATION_MS)) {
    throw invalidAt(what, "is not a duration up to 24h: write it as 250ms, 3s, 2m or 1h");
  }
  return durationMs;
}

/** The longest move of a clock at once: a year, and a month for what comes after it. */
const MAX_MOVE_MS = 400 * UNIT_MS.d;

/**
 * How far a clock moves: the same, and days, up to 400 of them.
 * @throws Refusal `invalid`
 */
export function parseMove(text: string, what = "duration"): number {
  const match = /^([0-9]{1,11})(ms|s|m|h|d)$/.exec(text);
  const durationMs = match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : Number.NaN;
  if (!(durationMs <= MAX_MOVE_MS)) throw invalidAt(what, "is not a duration up to 400d: write it as 90s, 26h or 31d");
  return durationMs;
}

/** The shortest way to write a duration: `1500ms`, `90s`, `2m`. */
export function formatDuration(durationMs: number): string {
  for (const unit of ["h", "m", "s"] as const) {
    if (durationMs > 0 && durationMs % UNIT_MS[unit] === 0) return `${durationMs / UNIT_MS[unit]}${unit}`;
  }
  return durationMs === 0 ? "0s" : `${durationMs}ms`;
}

/** What is left, as `0:42`. A second that has begun counts in full. */
export function timeLeft(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
