/**
 * PostgreSQL stores no NUL in a text, and merchants may send one. NUL and the escape character are stored as two characters each.
 * The start of a text is stored as the start of its stored form, so searches by the start of a text still work.
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
