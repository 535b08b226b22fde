import type { Database } from "bun:sqlite";
import { firstOf } from "./database.ts";

/** A copy of all transactions and their totals, in temporary tables: in memory, and gone with the connection. */
export interface Copy {
  readonly number: number;
  readonly count: number;
}

const TABLES = ["transactions", "day_totals"] as const;

/** Call its functions inside a commit. */
export function createCopies(client: Database) {
  let last = 0;
  const nameOf = (table: string, number: number) => `temp.copy_${number}_of_${table}`;
  return {
    /** @returns null if there are more than `most` transactions */
    save(most: number): Copy | null {
      const count = Number(firstOf(client, `SELECT count(*) FROM (SELECT 1 FROM transactions LIMIT ${most + 1})`));
      if (count > most) return null;
      last += 1;
      for (const table of TABLES) client.run(`CREATE TABLE ${nameOf(table, last)} AS SELECT * FROM main.${table}`);
      return { number: last, count };
    },
    restore({ number }: Copy): void {
      const fill = (table: string) => client.run(`INSERT INTO main.${table} SELECT * FROM ${nameOf(table, number)}`);
      emptyTransactions(client, () => fill("transactions"));
      fill("day_totals");
    },
    drop({ number }: Copy): void {
      for (const table of TABLES) client.run(`DROP TABLE IF EXISTS ${nameOf(table, number)}`);
    },
  };
}

/**
 * Drops the table and creates it again, with empty totals and without deliveries: deleting a million rows would block everything
 * for ten seconds.
 * @param fill is called before the indexes are created, which halves the time
 */
export function emptyTransactions(client: Database, fill = () => {}): void {
  const parts = client.query<{ sql: string }, []>(
    "SELECT sql FROM main.sqlite_schema WHERE tbl_name = 'transactions' AND sql IS NOT NULL ORDER BY rowid",
  );
  const [table, ...others] = parts.all();
  client.run("DROP TABLE main.transactions");
  if (table) client.run(table.sql);
  fill();
  for (const { sql } of others) client.run(sql);
  for (const name of ["day_totals", "deliveries"]) client.run(`DELETE FROM ${name}`);
}
