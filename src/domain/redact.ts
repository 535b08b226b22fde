/**
 * Removes our secrets from a text that other people read: logs and errors. Each letter of a secret may be percent-encoded, also
 * twice, or be a unicode escape of JSON. The pattern is bounded, so that the search is fast for every text.
 */
export function redact(text: string): string {
  return text.replaceAll(SECRET, REDACTED);
}

/** A character as itself or as its code in two hexadecimal digits. */
const written = (character: string, code: string) =>
  `(?:${character}|(?:%(?:25){0,4}(?:u00)?|\\\\{1,8}(?:u00|x))${code})`;

/** Also inside a longer word, because a text can have a secret without a space before or after it. */
const CHARACTER = written("[0-9a-z]", "(?:3[0-9]|[46][1-9a-f]|[57][0-9a])");
const SECRET = new RegExp(
  `${written("m", "[46]d")}${written("s", "[57]3")}${written("_", "5f")}${CHARACTER}{32,128}`,
  "gi",
);

export const REDACTED = "[redacted]";
