/**
 * Statements that both engines run are written once, in the form of PostgreSQL: `$1` for a parameter, with a cast where PostgreSQL
 * needs a type. An int8 column is read as float8, because its driver returns int8 as text. SQLite runs them without casts.
 */

/** Runs one statement with its parameters. */
export type Query = <Row>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** Runs the statements of an engine. */
export interface Sql {
  /** One statement that writes nothing. */
  readonly read: Query;
  /** One statement that may run twice. */
  readonly write: Query;
  /** One statement that is never committed twice. */
  readonly writeOnce: Query;
}
