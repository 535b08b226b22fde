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
