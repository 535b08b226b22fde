import { once } from "./once.ts";

/**
 * Characters that a terminal obeys or that nobody sees: control characters, line separators, marks that change the direction of text,
 * and characters without a width. The joiners and the two choices of an emoji's form stay: scripts and emoji need them.
 */
const INVISIBLE = /[[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{DI}\uFFF9-\uFFFB]--[\u200C\u200D\uFE0E\uFE0F]]/v;
const EACH_INVISIBLE = new RegExp(INVISIBLE, "gv");

/** One line, in which each of these characters is its escape in JSON. JSON stays the same for a program. */
export const visible = (line: string): string =>
  INVISIBLE.test(line) ? line.replaceAll(EACH_INVISIBLE, (character) => character.replaceAll(/./gs, escapeOf)) : line;

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text of several lines, with the same escapes. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n");

/** JSON with the same escapes, so that a program reads the exact value. */
export const jsonText = (value: unknown, indent = 0): string => visibleLines(JSON.stringify(value, null, indent));

/**
 * Removes our secrets from a text that other people read: logs and errors. Each letter of a secret may be percent-encoded, also
 * twice, or be a unicode escape of JSON. The pattern is bounded, so that the search is fast for every text.
 */
export function redact(text: string): string {
  return text.replaceAll(secret(), REDACTED);
}

/** A character as itself or as its code in two hexadecimal digits. */
const written = (character: string, code: string) =>
  `(?:${character}|(?:%(?:25){0,4}(?:u00)?|\\\\{1,8}(?:u00|x))${code})`;

/** Also inside a longer word, because a text can have a secret without a space before or after it. Made at the first use: 0.4 ms. */
const secret = once(() => {
  const characters = written("[0-9a-z]", "(?:3[0-9]|[46][1-9a-f]|[57][0-9a])");
  return new RegExp(`${written("m", "[46]d")}${written("s", "[57]3")}${written("_", "5f")}${characters}{32,128}`, "gi");
});

export const REDACTED = "[redacted]";

/** `1 payment`, `2 payments` */
export const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;
