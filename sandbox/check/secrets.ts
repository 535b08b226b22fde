import { readOrNull } from "../../src/domain/read-or-null.ts";
import { visible } from "../../src/domain/visible.ts";

/**
 * What no report shows: the credentials and the phone that were sent, and each phone, code and receipt that came. A value is found in
 * its usual spellings: in any letter case, percent-encoded, with escapes of JSON or HTML, and with spaces or dashes inside. A value may
 * have any characters.
 */

const NAMES = "phone|msisdn|mobile|receipt|(?<!result[_ ]?)code|secret|key|token|password";
const NAME = new RegExp(NAMES, "i");

/** Whether the value of a member is one: `transaction_code`, `mpesaReceiptNumber`, `phone`. */
export const isSecretName = (name: string): boolean => NAME.test(name);

/** In text: the name, then its value in quotes, between tags, or, if it has a digit, as a word. The prefix of a phone is shown. */
const NAMED = new RegExp(
  String.raw`(?:${NAMES})[A-Za-z_ ]{0,20}["'\\]*\s{0,9}(?:[:=]\s{0,9}["'\\]+PREFIX([^"'\\]+)|>\s{0,9}PREFIX([^<>]+)</|[:=]\s{0,9}PREFIX(WORD*[0-9]WORD*))`
    .replaceAll("PREFIX", String.raw`(?:\+?254|0)?`)
    .replaceAll("WORD", String.raw`[^\s"',;{}[\]<>&]`),
  "gdi",
);
/** Any phone of Kenya; the group is what follows its prefix. */
const PHONE = /(?<![0-9A-Za-z_])(?:\+?254|0)((?:[\s\p{Pd}.()]{0,3}[0-9]){9})(?![0-9A-Za-z_])/dgu;
const QUOTED = /"((?:[^"\\]|\\.){1,40})"/dg;

/** A byte of UTF-8 that is percent-encoded, also more than once. */
const byte = (digits: string) => `%(?:25)*${digits}`;
const CONTINUED = byte("[89ab][0-9a-f]");
/** A code that stands for a character: of a URL, of JSON, of HTML. */
const CODE = new RegExp(
  [
    `(?<utf8>${byte("[c-f][0-9a-f]")}(?:${CONTINUED}){1,3})`,
    `${byte("(?<percent>[0-9a-f]{2})")}`,
    String.raw`\\+(?:u(?<json>[0-9a-f]{4})|x(?<short>[0-9a-f]{2}))`,
    "&(?:amp;)*#x0*(?<hex>[0-9a-f]{1,5});",
    "&(?:amp;)*#0*(?<decimal>[0-9]{1,6});",
    "&(?:amp;)*(?<entity>amp|lt|gt|quot|apos);",
  ].join("|"),
  "gi",
);
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

interface Unit {
  /** One UTF-16 unit. */
  readonly character: string;
  /** Empty for the second unit of a character. */
  readonly written: string;
  readonly at: number;
}

/** What a code stands for; the text itself if it is none. */
function decoded(written: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { utf8, percent, json, short, hex, decimal, entity } = groups;
  if (utf8 !== undefined) return readOrNull(() => decodeURIComponent(utf8.replaceAll(/%(?:25)*/g, "%"))) ?? written;
  const code = percent ?? json ?? short ?? hex;
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
  return entity === undefined ? written : (ENTITIES[entity.toLowerCase()] ?? written);
}

function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  let end = 0;
  const addPlain = (to: number) => {
    for (; end < to; end += 1) {
      const character = text.charAt(end);
      units.push({ character, written: character, at: end });
    }
  };
  for (const { 0: written, groups = {}, index: at } of text.matchAll(CODE)) {
    addPlain(at);
    for (const [turn, character] of decoded(written, groups).split("").entries())
      units.push({ character, written: turn === 0 ? written : "", at });
    end = at + written.length;
  }
  addPlain(text.length);
  return units;
}

const decodedText = (text: string): string =>
  text.replaceAll(CODE, (written: string, ...parts: unknown[]) =>
    decoded(written, parts.at(-1) as Record<string, string | undefined>),
  );

const textOf = (units: readonly Unit[]): string => units.map(({ character }) => character).join("");
const isWord = ({ character }: Unit): boolean => /[\p{L}\p{N}]/u.test(character);
const NO_PART = /[\s\\+]/g;
/** All but what an encoding adds: the backslashes of JSON, and the ways to write a space. */
const isPart = ({ character }: Unit): boolean => character.search(NO_PART) < 0;
const wordOf = (units: readonly Unit[]): string => units.map(({ character }) => character.toLowerCase()[0]).join("");

/** Shorter values are hidden only where they stand alone between quotes: others would be found everywhere. */
const SHORTEST = 6;
/** As much of a text is read behind its cut, so that a value at the cut is found whole. */
const BEHIND = 1500;

/** Of a body. */
const MOST_READ = 16 * 1024;

/** Values to be found in a text. */
class Needles {
  /** By their start, then by their length: receipts have the same start and length, and come by the hundred. */
  readonly #byStart = new Map<string, Map<number, Set<string>>>();

  add(value: string): void {
    const start = value.slice(0, SHORTEST);
    const byLength = this.#byStart.get(start) ?? new Map<number, Set<string>>();
    this.#byStart.set(start, byLength);
    byLength.set(value.length, (byLength.get(value.length) ?? new Set()).add(value));
  }

  /** How many characters from here on are one of the values, or the beginning of one that the end of the text cuts. */
  lengthAt(text: string, from: number): number {
    let longest = 0;
    for (const [length, values] of this.#byStart.get(text.slice(from, from + SHORTEST)) ?? []) {
      const part = text.slice(from, from + length);
      if (part.length <= longest) continue;
      const isCut = part.length < length;
      if (isCut ? [...values].some((value) => value.startsWith(part)) : values.has(part)) longest = part.length;
    }
    return longest;
  }
}

export class Secrets {
  /** By their letters and digits alone, however they are grouped. */
  readonly #words = new Needles();
  /** By all characters. */
  readonly #whole = new Needles();
  readonly #short = new Set<string>();

  constructor(sent: readonly string[]) {
    for (const value of sent) this.#add(value);
  }

  /** Remembers the values of such members, at any depth. */
  learn(value: unknown, isSecret = false): void {
    if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) this.learn(member, isSecret || isSecretName(name));
    } else if (isSecret && (typeof value === "string" || typeof value === "number")) this.#add(String(value));
  }

  /** Remembers the same in a body, also where it is no JSON, or has JSON in a string. */
  learnText(body: string): void {
    for (const [, ...values] of decodedText(body.slice(0, MOST_READ)).matchAll(NAMED)) {
      for (const value of values) if (value !== undefined) this.#add(value);
    }
  }

  #add(text: string): void {
    const units = unitsOf(text.slice(0, BEHIND));
    const word = wordOf(units.filter(isWord));
    const whole = wordOf(units.filter(isPart));
    const [, national] = /^(?:254|0)([0-9]{9})$/.exec(word) ?? [];
    if (national !== undefined) {
      this.#words.add(national);
      return;
    }
    if (word.length >= SHORTEST) this.#words.add(word);
    if (whole.length < SHORTEST) {
      this.#short.add(text);
      return;
    }
    this.#whole.add(whole);
    // A value may look like a code itself, as `%41`, and come in an encoding of its own.
    this.#whole.add(text.slice(0, BEHIND).replaceAll(NO_PART, "").toLowerCase());
  }

  /** The first characters of a text for a report, in one line, with … in the place of each such value. */
  hide(text: string, most: number): string {
    const units = unitsOf(text.slice(0, most + BEHIND));
    const isHidden = this.#hiddenIn(units);
    const shown = units
      .filter(({ at }) => at < most)
      .map(({ written }, index) => (isHidden[index] ? (isHidden[index - 1] ? "" : "…") : written));
    return (
      visible(
        shown
          .join("")
          .replaceAll(/ *[\t\r\n]\s*/g, " ")
          .toWellFormed(),
      ) + (text.length > most ? "…" : "")
    );
  }

  #hiddenIn(units: readonly Unit[]): Uint8Array {
    const isHidden = new Uint8Array(units.length);
    const text = textOf(units);
    for (const pattern of [PHONE, NAMED]) {
      for (const { indices = [] } of text.matchAll(pattern)) {
        for (const group of indices.slice(1)) if (group) isHidden.fill(1, ...group);
      }
    }
    for (const { 1: content = "", indices } of text.matchAll(QUOTED)) {
      if (this.#short.has(content)) isHidden.fill(1, ...(indices?.[1] ?? [0, 0]));
    }
    for (const { needles, isMeant } of [
      { needles: this.#words, isMeant: isWord },
      { needles: this.#whole, isMeant: isPart },
    ]) {
      const places = [...units.keys()].filter((index) => isMeant(units[index] as Unit));
      const word = wordOf(places.map((index) => units[index] as Unit));
      for (let from = 0; from < places.length; from += 1) {
        const length = needles.lengthAt(word, from);
        if (length > 0) isHidden.fill(1, places[from], (places[from + length - 1] ?? 0) + 1);
      }
    }
    return isHidden;
  }
}
