/**
 * Instants are milliseconds since the Unix epoch. People see them in Nairobi time, whatever the time zone of the host. Kenya is
 * at UTC+3 all year, so the offset is fixed.
 */
export const NAIROBI_OFFSET_MS = 3 * 60 * 60 * 1000;
export const DAY_MS = 24 * 60 * 60 * 1000;

/** A calendar day in Nairobi, counted from 1970-01-01. */
export type Day = number & { readonly __brand: "Day" };

/** An instant as the service writes it (§2.2): `YYYY-MM-DD HH:MM:SS`, in Nairobi or in another zone. */
export function formatTimestamp(atMs: number, offsetMs = NAIROBI_OFFSET_MS): string {
  const iso = new Date(atMs + offsetMs).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** The Nairobi day of an instant. */
export function dayOf(atMs: number): Day {
  return Math.floor((atMs + NAIROBI_OFFSET_MS) / DAY_MS) as Day;
}

/** The first millisecond of a day, in Nairobi or in another zone. */
export function startOfDayMs(day: Day, offsetMs = NAIROBI_OFFSET_MS): number {
  return day * DAY_MS - offsetMs;
}

/** The first millisecond after a day. */
export function endOfDayMs(day: Day, offsetMs = NAIROBI_OFFSET_MS): number {
  return startOfDayMs(day, offsetMs) + DAY_MS;
}

/** A day from `YYYY-MM-DD` (§4.3), or null if the calendar has no such day. */
export function parseDay(text: string): Day | null {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return null;
  const midnight = new Date(`${text}T00:00:00.000Z`);
  // The constructor turns 30 February into 1 or 2 March: if the text is then another one, the day does not exist.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(text)) return null;
  return (midnight.getTime() / DAY_MS) as Day;
}

/**
 * An instant as people write it: `2026-11-27 00:30`, with seconds if they matter, in Nairobi; the day alone is its midnight; or with
 * an offset of its own, as in `2026-11-26T21:30:00Z`. Null if the calendar has no such instant.
 */
export function parseInstant(text: string): number | null {
  const [, date = "", time = "00:00", seconds = ":00", offset] =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]{1,3})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$/.exec(
      text,
    ) ?? [];
  if (parseDay(date) === null) return null;
  const atMs = Date.parse(`${date}T${time}${seconds}${offset ?? "Z"}`) - (offset === undefined ? NAIROBI_OFFSET_MS : 0);
  return Number.isNaN(atMs) || time.startsWith("24") ? null : atMs;
}

/** What {@link parseInstant} takes, for refusals. */
export const INSTANT_FORM = "2026-11-27 00:30:00 (in Nairobi), or 2026-11-26T21:30:00Z";

/** A day as `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
