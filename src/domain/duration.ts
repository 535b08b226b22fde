import { countedInThousands } from "./counted.ts";
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

/** The clocks of a server and of a browser on another machine differ a little. */
const SAME_MS = 5000;

/** How far a clock is from another one: `+2 h 30 min`, `−1 day 8 h`; empty if they show the same. */
export function aheadInWords(aheadMs: number): string {
  // Seconds do not matter beside hours, and a slow answer makes them wrong.
  const unitMs = Math.abs(aheadMs) < 3_590_000 ? 1000 : 60_000;
  const ms = Math.round(Math.abs(aheadMs) / unitMs) * unitMs;
  if (ms < SAME_MS) return "";
  const days = Math.floor(ms / UNIT_MS.d);
  // Minutes have no room beside days on a narrow screen.
  const restMs = days === 0 ? ms : (ms % UNIT_MS.d) - (ms % UNIT_MS.h);
  const words = [days > 0 && countedInThousands(days, "day"), restMs > 0 && formatInterval(restMs)]
    .filter(Boolean)
    .join(" ");
  return `${aheadMs < 0 ? "−" : "+"}${words}`;
}

/** A duration, with about three digits: `350 ms`, `2.9 s`, `48 s`, `3 min 5 s`. */
export function formatInterval(durationMs: number): string {
  if (durationMs < 1000) return `${durationMs < 10 ? Math.round(durationMs * 10) / 10 : Math.round(durationMs)} ms`;
  if (durationMs < 10_000) return `${Math.floor(durationMs / 100) / 10} s`;
  if (durationMs < 60_000) return `${Math.floor(durationMs / 1000)} s`;
  if (durationMs < 3_600_000) {
    const seconds = Math.floor((durationMs % 60_000) / 1000);
    return `${Math.floor(durationMs / 60_000)} min${seconds > 0 ? ` ${seconds} s` : ""}`;
  }
  const minutes = Math.floor((durationMs % 3_600_000) / 60_000);
  return `${Math.floor(durationMs / 3_600_000)} h${minutes > 0 ? ` ${minutes} min` : ""}`;
}
