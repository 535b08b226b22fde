import { Database } from "bun:sqlite";
import { foldedOf } from "../rows.ts";
import { UnusableDatabase } from "../store.ts";
import { TABLES, type TableRow, type TableRows, withBinary } from "../transfer.ts";
import type { CopyContents } from "./backup.ts";
import { openDatabase, requireSound } from "./database.ts";
import { explain } from "./failures.ts";
import { refusalBy, requireRules, requireTexts, requireTextsOf } from "./import-rules.ts";
import { KNOWN_SCHEMA } from "./migrations.ts";
import { recount } from "./totals.ts";

/**
 * Reads all rows of a database file, and writes them into a new one, in the form that both engines use. A file can come from
 * anywhere: only its rows are read, and the CHECKs, keys and triggers of the new database judge them.
 */

type Row = Readonly<Record<string, string | number | null | Uint8Array>>;

const ROWS_AT_ONCE = 1000;

/**
 * Reads a copy that no other process writes to. Refusals call it by its name.
 * @throws UnusableDatabase if it is damaged, of another program, or of a newer momo
 */
export function* readRows(file: string, name: string): Generator<TableRows> {
  try {
    using client = new Database(file, { readonly: true });
    client.run("PRAGMA trusted_schema = OFF");
    client.run("PRAGMA cell_size_check = ON");
    requireSound(client, name);
    requireTables(client, name);
    requireTexts(client, name);
    for (const table of TABLES) {
      let rows: TableRow[] = [];
      for (const row of client.query<Row, []>(`SELECT * FROM ${table} ORDER BY id`).iterate()) {
        rows.push(toMoved(row));
        if (rows.length < ROWS_AT_ONCE) continue;
        yield { table, rows };
        rows = [];
      }
      if (rows.length > 0) yield { table, rows };
    }
  } catch (error) {
    throw explain(error, name, file);
  }
}

/** A view or a virtual table could run forever. */
function requireTables(client: Database, name: string): void {
  const plain = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
  const found = new Set(client.query(plain).values().flat());
  if (!TABLES.every((table) => found.has(table))) {
    throw new UnusableDatabase("foreign", `${name} is not a database of momo's`);
  }
}

/** In a copy of schema 13 or before, the number of a transaction could be another one than its id. */
const toMoved = ({ number, ...row }: Row): TableRow =>
  withBinary({ ...row, id: number ?? row.id ?? null }, (value) =>
    value instanceof Uint8Array ? value.toHex() : value,
  ) as TableRow;

/**
 * Fills a new database file, in one transaction. Deliveries are left out: nothing of another sandbox is sent to a webhook of this one.
 * Refusals call the source by its name.
 * @throws UnusableDatabase that names the row, and what must be
 */
export async function writeRows(
  file: string,
  source: AsyncIterable<TableRows> | Iterable<TableRows>,
  name: string,
  isMemo: (memo: string) => boolean,
): Promise<CopyContents> {
  const { client, close } = openDatabase(file);
  const counts = { merchants: 0, transactions: 0 };
  try {
    client.run("BEGIN IMMEDIATE");
    client.run("DELETE FROM numbering");
    for await (const { table, rows } of source) {
      const info = client.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`).all();
      const columns = info.map((column) => column.name);
      const insert = client.query(
        `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      );
      for (const row of rows) {
        const whole: Row = withBinary(row, bytesOf);
        try {
          insert.run(
            ...columns.map(
              (column) => (column === "reference_folded" ? foldedOf(row.reference) : whole[column]) ?? null,
            ),
          );
        } catch (error) {
          throw refusalBy(error, name, table, whole);
        }
        if (table === "transactions") requireTextsOf(row, name, isMemo);
      }
      if (table === "merchants" || table === "transactions") counts[table] += rows.length;
    }
    requireRules(client, name);
    recount(client);
    client.run("COMMIT");
    return { schema: KNOWN_SCHEMA, ...counts };
  } catch (error) {
    throw explain(error, file);
  } finally {
    close();
  }
}

/** A text that is not hexadecimal stays, and the column refuses it. */
const bytesOf = (hex: TableRow[string]) =>
  typeof hex === "string" && /^(?:[0-9a-f]{2})*$/.test(hex) ? Uint8Array.fromHex(hex) : hex;
