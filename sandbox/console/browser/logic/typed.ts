import { formatDuration } from "../../../../src/domain/duration.ts";
import { DAY_MS, parseInstant } from "../../../../src/domain/timestamp.ts";
import { dayAt, wallClock } from "./format.ts";

/** What a person types, in the form of the API. */

/** A number for JSON, or else the text. Undefined if the field is empty. */
export function numberOrText(text: string): number | string | undefined {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text || undefined;
}

/** A search. A phone has no spaces there: `0764 672` is typed as the page shows it. */
export const searchOf = (text: string): string =>
  /^(?:\+?254|0[17])[0-9 ]*$/.test(text) ? text.replaceAll(" ", "") : text;

/** The name of a snapshot: the API takes letters, digits, - and _. */
export const nameOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]+/g, "-");

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: DAY_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** `1 day`, `90s`, `2 h 30 min`; null for any other text. */
function durationOf(text: string): number | null {
  if (!/^(?:[0-9]{1,8} *[a-z]+[ ,]*)+$/.test(text)) return null;
  let sumMs = 0;
  for (const [, count, unit = ""] of text.matchAll(/([0-9]+) *([a-z]+)/g)) {
    const unitMs = UNITS_MS[unit] ?? UNITS_MS[unit.replace(/s$/, "")];
    if (unitMs === undefined) return null;
    sumMs += Number(count) * unitMs;
  }
  return sumMs;
}

/** `00:30`, which is the next one, `today 18:00`, `tomorrow`; undefined for any other text. In Nairobi. */
function instantOf(text: string, nowMs: number): string | undefined {
  const [whole = "", day, time = "00:00"] =
    /^(today|tomorrow)?(?:^| |$)([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?$/.exec(text) ?? [];
  if (whole === "") return undefined;
  const clock = time.padStart(time.replace(/^[0-9]+/, "").length + 2, "0");
  const isTomorrow = day === "tomorrow" || (day === undefined && clock < wallClock(nowMs));
  return `${dayAt(nowMs + (isTomorrow ? DAY_MS : 0))} ${clock}`;
}

/** `24 Dec 2026 08:00` as a timestamp. Other text is unchanged. */
function timestampOf(text: string): string {
  const atMs = /^[0-9]{1,2} [a-z]{3,9} [0-9]{4}\b/i.test(text)
    ? Date.parse(`${text.replace(",", "")} UTC`)
    : Number.NaN;
  return Number.isNaN(atMs) ? text : new Date(atMs).toISOString().slice(0, "2026-12-24T08:00:00".length);
}

/** How a clock moves: by a duration, or to an instant. */
export type Move = { readonly advance: string } | { readonly to: string };

/** Takes a duration or an instant; null for any other text. */
export function moveOf(typed: string, nowMs: number): Move | null {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^(?:\+|in ) */, "");
  const durationMs = durationOf(text);
  if (durationMs !== null) return { advance: formatDuration(durationMs) };
  const to = instantOf(text, nowMs) ?? timestampOf(typed.trim());
  return parseInstant(to) === null ? null : { to };
}
