/** Text from elsewhere, such as a reference that a customer chose, made harmless for a terminal. */

/**
 * What a terminal obeys or does not show: control characters, line separators, marks that change the direction of text, and
 * characters without a width. The joiners U+200C and U+200D stay: scripts and emoji need them.
 */
const HARMFUL = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]`;
const FIRST_HARMFUL = new RegExp(HARMFUL, "u");
const EACH_HARMFUL = new RegExp(HARMFUL, "gu");

/** One line without what a terminal would obey. Whole escape sequences go, and every other such character becomes U+FFFD. */
export function plain(text: string): string {
  // Loading node:util takes a millisecond, and most lines are harmless.
  if (!FIRST_HARMFUL.test(text)) return text;
  const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
  return stripVTControlCharacters(text).replaceAll(EACH_HARMFUL, "\u{FFFD}");
}

/** JSON with the same characters escaped: exact for a program, harmless at a terminal. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  // Line feeds are its own indentation: inside a value they are escaped already.
  return text.replaceAll(EACH_HARMFUL, (character) => (character === "\n" ? character : escaped(character)));
}

/** A character outside the basic plane is two escapes in JSON. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
