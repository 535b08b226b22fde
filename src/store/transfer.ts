/** The form of rows that move from a database of one engine to one of the other. */

/** The tables that move from one database to another: both engines have them. Each comes after the tables that it refers to. */
export const TABLES = ["merchants", "payment_accounts", "api_keys", "numbering", "transactions"] as const;

/** A row of a table, by its columns. Binary values are hexadecimal. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/** The columns with binary values. */
const BINARY = ["secret_hash", "request_id_key"] as const;

/** A row with its binary values converted. */
export function withBinary<V, T>(row: Readonly<Record<string, V>>, convert: (value: V) => T): Record<string, V | T> {
  const converted: Record<string, V | T> = { ...row };
  for (const name of BINARY) if (row[name] !== undefined) converted[name] = convert(row[name]);
  return converted;
}

/** Some rows of one table. All rows of a database are in the order of {@link TABLES} and of their ids. */
export interface TableRows {
  readonly table: (typeof TABLES)[number];
  readonly rows: readonly TableRow[];
}
