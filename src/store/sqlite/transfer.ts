import { Database } from "bun:sqlite";
import { TABLES, type TableRow, type TableRows, withBinary } from "../store.ts";
import { openDatabase } from "./database.ts";

/** Reads all rows of a database file, or writes them into a new one, in the form that both engines use. */

type Row = Readonly<Record<string, string | number | null | Uint8Array>>;

const ROWS_AT_ONCE = 1000;

/** @param file a sound copy that no other process writes to */
export async function* readRows(file: string): AsyncGenerator<TableRows> {
  using client = new Database(file, { readonly: true });
  for (const table of TABLES) {
    const select = client.query<Row & { id: number }, [number]>(
      `SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
    );
    for (let rows = select.all(0); rows.length > 0; rows = select.all(rows.at(-1)?.id ?? 0)) {
      yield { table, rows: rows.map(({ number, ...row }) => toMoved({ ...row, id: Number(number ?? row.id) })) };
    }
  }
}

/** Fills a new database file, in one transaction. Its totals are counted later, when the file is admitted. */
export async function writeRows(file: string, source: AsyncIterable<TableRows>): Promise<void> {
  const { client, close } = openDatabase(file);
  try {
    client.run("BEGIN IMMEDIATE");
    client.run("DELETE FROM numbering");
    for await (const { table, rows } of source) {
      const columns = Object.keys(rows[0] ?? {});
      const places = columns.map((name) => `$${name}`).join(", ");
      const insert = client.query(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
      for (const row of rows) insert.run(withBinary(row, (hex) => Uint8Array.fromHex(hex)));
    }
    client.run("COMMIT");
  } finally {
    close();
  }
}

const toMoved = (row: Row): TableRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? value.toHex() : value]),
  );
