/**
 * PostgreSQL stores no NUL in a text, and merchants may send one. NUL and the character that stands for it are written as two
 * characters each. A text starts with another exactly if what is written for it does, so searches find what they should.
 */

const MARK = "\u0001";
const NUL_WRITTEN = `${MARK}\u0001`;
const MARK_WRITTEN = `${MARK}\u0002`;

export const toStored = (text: string): string => text.replaceAll(MARK, MARK_WRITTEN).replaceAll("\0", NUL_WRITTEN);

export const fromStored = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(NUL_WRITTEN, "\0").replaceAll(MARK_WRITTEN, MARK) : text;

/** The same for a column that can be empty. */
export const toStoredOrNull = (text: string | null): string | null => (text === null ? null : toStored(text));
export const fromStoredOrNull = (text: string | null): string | null => (text === null ? null : fromStored(text));
