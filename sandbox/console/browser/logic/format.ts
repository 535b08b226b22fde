import { countedInThousands, inThousands } from "../../../../src/domain/counted.ts";
import { readOrNull } from "../../../../src/domain/read-or-null.ts";
import { formatTimestamp, NAIROBI_OFFSET_MS } from "../../../../src/domain/timestamp.ts";

/** Formats values of the API for people. */

const shillings = new Intl.NumberFormat("en-KE", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `1,200.00` */
export const formatAmount = (amount: number): string => shillings.format(amount);

/** `1,200` */
export const formatCount = inThousands;

/** `1 rule`, `1,200 rules` */
export const counted = countedInThousands;

/** The same of several things, without those of which there are none. */
export const countedAll = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [counted(count, what)] : []));

export const capitalised = (word: string): string => word.replace(/^./, (letter) => letter.toUpperCase());

/** `254712345678` as people in Kenya write it: `0712 345 678`. Other text is unchanged. */
export function formatPhone(phone: string): string {
  const [, first, second, third] = /^254([0-9]{3})([0-9]{3})([0-9]{3})$/.exec(phone) ?? [];
  return first === undefined ? phone : `0${first} ${second} ${third}`;
}

export const timeOfDay = (timestamp: string): string => timestamp.slice(11);

export const dayOf = (timestamp: string): string => timestamp.slice(0, 10);

/** The instant of a timestamp, which is in Nairobi time, to the second. */
export const instantOf = (timestamp: string): number =>
  Date.parse(`${timestamp.replace(" ", "T")}Z`) - NAIROBI_OFFSET_MS;

/** An instant as a Nairobi wall clock shows it: `10:00:00`. */
export const wallClock = (atMs: number): string => timeOfDay(formatTimestamp(atMs));

/** The same to the millisecond: `10:00:00.250`. */
export const preciseClock = (atMs: number): string => wallClock(atMs) + new Date(atMs).toISOString().slice(19, 23);

/** The day of an instant in Nairobi, as a timestamp has it: `2026-11-20`. */
export const dayAt = (atMs: number): string => dayOf(formatTimestamp(atMs));

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** The day of an instant in Nairobi, for people in every country: `20 Nov 2026`. */
export const dayInWords = (atMs: number): string => day.format(new Date(atMs + NAIROBI_OFFSET_MS));

/** The day of a timestamp without its year: `20 Nov`. */
export const shortDayOf = (timestamp: string): string => dayInWords(instantOf(timestamp)).replace(/ [0-9]+$/, "");

/** A timestamp: `20 Nov 2026, 10:00:00`. */
export const momentInWords = (timestamp: string): string =>
  `${dayInWords(instantOf(timestamp))}, ${timeOfDay(timestamp)}`;

/** Indented JSON. Other text is unchanged. */
export const prettyJson = (text: string): string => readOrNull(() => JSON.stringify(JSON.parse(text), null, 2)) ?? text;
