import { visible } from "../../src/domain/visible.ts";

/**
 * What no report shows: the credentials and the phone that were sent, and each phone, code and receipt that came. A value is found in
 * its usual spellings: in any letter case, percent-encoded, with escapes of JSON or HTML, and with spaces or dashes inside.
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

/** A character, or a code that stands for one. */
const UNIT = /%(?:25)*([0-7][0-9a-f])|\\+(?:u00|x)([0-7][0-9a-f])|&#x0*([0-7][0-9a-f]);|&#0*([0-9]{1,3});|[\s\S]/gi;

interface Unit {
  readonly character: string;
  readonly written: string;
  readonly at: number;
}

const unitsOf = (text: string): Unit[] =>
  [...text.matchAll(UNIT)].map(({ 0: written, 1: percent, 2: json, 3: hex, 4: decimal, index: at }) => {
    const code = percent ?? json ?? hex;
    if (code !== undefined) return { character: String.fromCharCode(Number.parseInt(code, 16)), written, at };
    return { character: decimal === undefined ? written : String.fromCharCode(Number(decimal)), written, at };
  });

const textOf = (units: readonly Unit[]): string => units.map(({ character }) => character).join("");
const isWord = ({ character }: Unit): boolean => /[\p{L}\p{N}]/u.test(character);
const wordOf = (units: readonly Unit[]): string => units.map(({ character }) => character.toLowerCase()[0]).join("");

/** Shorter values are hidden only where they stand alone between quotes: others would be found everywhere. */
const SHORTEST = 6;
/** Of a longer value this is compared, and the rest of its word is hidden with it. */
const LONGEST = 64;
/** As much of a text is read behind its cut, so that a value at the cut is found whole. */
const BEHIND = 1500;

/** Of a body. */
const MOST_READ = 16 * 1024;

export class Secrets {
  readonly #values = new Set<string>();
  readonly #starts = new Set<string>();
  readonly #lengths = new Set<number>();
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
    for (const [, ...values] of textOf(unitsOf(body.slice(0, MOST_READ))).matchAll(NAMED)) {
      for (const value of values) if (value !== undefined) this.#add(value);
    }
  }

  #add(text: string): void {
    const word = wordOf(unitsOf(text.slice(0, BEHIND)).filter(isWord));
    const [, national] = /^(?:254|0)([0-9]{9})$/.exec(word) ?? [];
    const value = national ?? word.slice(0, LONGEST);
    if (value.length < SHORTEST) this.#short.add(text);
    else {
      this.#values.add(value);
      this.#starts.add(value.slice(0, SHORTEST));
      this.#lengths.add(value.length);
    }
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
    const places = [...units.keys()].filter((index) => isWord(units[index] as Unit));
    const word = wordOf(places.map((index) => units[index] as Unit));
    for (let from = 0; from < places.length; from += 1) {
      if (!this.#starts.has(word.slice(from, from + SHORTEST))) continue;
      for (const length of this.#lengths) {
        if (!this.#values.has(word.slice(from, from + length))) continue;
        let to = from + length - 1;
        while (length === LONGEST && places[to + 1] === (places[to] ?? 0) + 1) to += 1;
        isHidden.fill(1, places[from], (places[to] ?? 0) + 1);
      }
    }
    return isHidden;
  }
}
