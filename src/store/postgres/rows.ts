import { COLUMNS } from "../rows.ts";

/** Converts rows of `transactions`. int8 columns are read as float8, which the driver returns as numbers. */

/** The names of its int8 columns. */
const INT8 = /^(?:id|phone|\w+_(?:id|cents|ms))$/;

/** The columns of a `TransactionRow`, with the casts that this driver needs. */
export const ROW = COLUMNS.split(/,\s*/)
  .map((name) => (INT8.test(name) ? `${name}::float8 AS ${name}` : name))
  .join(", ");

/** A row with all its texts converted. */
function withTexts<R extends object>(row: R, convert: (text: string) => string): R {
  const converted = { ...row } as Record<string, unknown>;
  for (const name in converted) {
    const value = converted[name];
    if (typeof value === "string") converted[name] = convert(value);
  }
  return converted as R;
}

/** A row as it was read, with the texts of the domain. */
export const fromRow = <R extends object>(row: R): R => withTexts(row, fromStored);

/** A row with the texts that PostgreSQL stores. */
export const toRow = <R extends object>(row: R): R => withTexts(row, toStored);

/** Numbers as one parameter, to be cast with `::text::bigint[]`. */
export const numbers = (ids: Iterable<number>): string => `{${[...ids].join(",")}}`;

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
