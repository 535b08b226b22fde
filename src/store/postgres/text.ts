/**
 * PostgreSQL stores no NUL in a text, and merchants may send one. NUL and the character that stands for it are written as two
 * characters each. A text starts with another exactly if what is written for it does, so searches find what they should.
 */

const MARK = "\u0001";
const SPECIAL = /[\u0000\u0001]/g; // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const WRITTEN = /\u0001([\u0001\u0002])/g; // biome-ignore lint/suspicious/noControlCharactersInRegex: the same

export function toStored(text: string): string {
  return text.replaceAll(SPECIAL, (character) => MARK + (character === MARK ? "\u0002" : "\u0001"));
}

export function fromStored(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replaceAll(WRITTEN, (_all, code: string) => (code === "\u0001" ? "\u0000" : MARK));
}

/** The same for a column that can be empty. */
export const toStoredOrNull = (text: string | null): string | null => (text === null ? null : toStored(text));
export const fromStoredOrNull = (text: string | null): string | null => (text === null ? null : fromStored(text));
