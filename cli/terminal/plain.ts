import { speaksUnicode } from "../environment.ts";

/** Makes text from elsewhere, such as a reference that a customer chose, harmless for a terminal. */

/**
 * Characters that a terminal obeys or does not show: control characters, line separators, marks that change the direction of text, and
 * characters without a width. The joiners U+200C and U+200D stay: scripts and emoji need them.
 */
const HARMFUL = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]`;
const FIRST_HARMFUL = new RegExp(HARMFUL, "u");
const EACH_HARMFUL = new RegExp(HARMFUL, "gu");

/** One line without harmful characters. Removes whole escape sequences; every other harmful character becomes U+FFFD. */
export function plain(text: string): string {
  // Loading node:util takes a millisecond, and most lines are harmless.
  if (!FIRST_HARMFUL.test(text)) return text;
  const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
  return stripVTControlCharacters(text).replaceAll(EACH_HARMFUL, "\u{FFFD}");
}

/** The characters of momo's own texts, and below each one what people see where the locale has only ASCII. */
const CHARACTERS = "✓✗•—█↑↓│└◆◇●○▲■";
const IN_ASCII = "+x*-_^v|-*o> xx";

const asciiOf = (character: string): string =>
  character === "…" ? "..." : (IN_ASCII[CHARACTERS.indexOf(character)] ?? "?");

/** A text for people in the characters of their locale. */
export const inLocale = (text: string): string => (speaksUnicode() ? text : text.replaceAll(/[^\0-\x7F]/gu, asciiOf));

/** Breaks a line between words where it is wider than the terminal, and keeps its indentation. */
export function wrapped(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(indent.length).split(" ")) {
    const longer = current === "" ? indent + word : `${current} ${word}`;
    const isFull = current !== "" && Bun.stringWidth(longer) > width;
    if (isFull) lines.push(current.trimEnd());
    current = isFull ? indent + word : longer;
  }
  return [...lines, current];
}

/** JSON with the same characters escaped, so that a program reads the exact value and a terminal obeys none. */
export function jsonText(value: unknown, indent = 0): string {
  // Its line feeds are indentation: JSON escapes those inside a value.
  return visible(JSON.stringify(value, null, indent));
}

/** A text of several lines with the same characters as their escapes, so that its reader sees them. */
export const visible = (text: string): string =>
  text.replaceAll(EACH_HARMFUL, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));

/** JSON escapes a character outside the basic plane as two units. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
