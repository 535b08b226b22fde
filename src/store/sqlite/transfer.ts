import { Database, SQLiteError } from "bun:sqlite";
import { shown } from "../../domain/error.ts";
import { isLine, MAX_LINE_LENGTH } from "../../domain/line.ts";
import { MAX_ACCOUNTS, MAX_KEYS, MAX_MERCHANTS, MAX_REVOKED_KEYS } from "../../domain/merchant.ts";
import { RESULT_CODES } from "../../domain/outcome.ts";
import { foldedOf } from "../rows.ts";
import { UnusableDatabase } from "../store.ts";
import { TABLES, type TableRow, type TableRows, withBinary } from "../transfer.ts";
import type { CopyContents } from "./backup.ts";
import { explain, firstOf, openDatabase, requireSound } from "./database.ts";
import { KNOWN_SCHEMA } from "./migrations.ts";
import { recount } from "./totals.ts";

/**
 * Reads all rows of a database file, and writes them into a new one, in the form that both engines use. A file can come from
 * anywhere: only its rows are read, and the CHECKs, keys and triggers of the new database judge them.
 */

type Row = Readonly<Record<string, string | number | null | Uint8Array>>;

const ROWS_AT_ONCE = 1000;

/** The texts that people choose. */
const TEXTS = [
  ["merchants", "name"],
  ["payment_accounts", "name"],
  ["api_keys", "label"],
  ["transactions", "reference"],
  ["transactions", "description"],
] as const;

/**
 * @param file a copy that no other process writes to
 * @param name what the file is called in a refusal
 * @throws UnusableDatabase if it is damaged, of another program, or of a newer momo
 */
export function* readRows(file: string, name: string): Generator<TableRows> {
  try {
    using client = new Database(file, { readonly: true });
    client.run("PRAGMA trusted_schema = OFF");
    client.run("PRAGMA cell_size_check = ON");
    requireSound(client, name);
    requireTables(client, name);
    for (const [table, column] of TEXTS) requireText(client, name, table, column);
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

/** SQLite keeps any bytes as text. Half of a surrogate pair is not UTF-8 either. */
function requireText(client: Database, name: string, table: string, column: string): void {
  const rows = client.query<{ row: number; bytes: Uint8Array }, []>(
    `SELECT rowid AS row, CAST(${column} AS BLOB) AS bytes FROM ${table}
    WHERE ${column} GLOB '*['||char(128)||'-'||char(1114111)||']*' OR octet_length(${column}) <> length(${column})`,
  );
  for (const { row, bytes } of rows.iterate()) {
    try {
      UTF_8.decode(bytes);
    } catch {
      throw refusal(name, `row ${row} of ${table}: ${column} must be UTF-8`);
    }
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** In a copy of schema 13 or before, the number of a transaction could be another one than its id. */
const toMoved = ({ number, ...row }: Row): TableRow =>
  withBinary({ ...row, id: number ?? row.id ?? null }, (value) =>
    value instanceof Uint8Array ? value.toHex() : value,
  ) as TableRow;

/**
 * Fills a new database file, in one transaction. Deliveries are left out: nothing of another sandbox is sent to a webhook of this one.
 * @param name what the source is called in a refusal
 * @param isMemo whether one of our providers writes such memos
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
          throw ruleOf(error, name, table, row);
        }
        const wrong = table === "transactions" && wrongTextOf(row, isMemo);
        if (wrong) throw refusal(name, `row ${row.id} of transactions: ${wrong}`);
      }
      if (table === "merchants" || table === "transactions") counts[table] += rows.length;
    }
    requireBounds(client, name);
    recount(client);
    client.run("COMMIT");
    return { schema: KNOWN_SCHEMA, ...counts };
  } catch (error) {
    throw explain(error, file);
  } finally {
    close();
  }
}

/** What is wrong with a text of the network, of which the CHECKs know only the length; null if nothing is. */
function wrongTextOf({ memo, result_desc }: TableRow, isMemo: (memo: string) => boolean): string | null {
  if (!isMemo(String(memo))) return `memo must be one of a provider; it is ${shown(memo)}`;
  if (typeof result_desc !== "string" || isLine(result_desc)) return null;
  return `result_desc must be 1 to ${MAX_LINE_LENGTH} characters on one line; it is ${shown(result_desc)}`;
}

/** A text that is not hexadecimal stays, and the column refuses it. */
const bytesOf = (hex: TableRow[string]) =>
  typeof hex === "string" && /^(?:[0-9a-f]{2})*$/.test(hex) ? Uint8Array.fromHex(hex) : hex;

const refusal = (name: string, what: string) =>
  new UnusableDatabase("foreign", `${name} holds what momo never stores: ${what}`);

/** The refusal of a row by a rule of the database, in SQLite's words: the name of a CHECK says what must be. */
function ruleOf(error: unknown, name: string, table: string, { id }: TableRow): unknown {
  if (!(error instanceof SQLiteError && /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/.test(error.code ?? ""))) return error;
  return refusal(name, `row ${id} of ${table}: ${error.message}`);
}

/** Far below the highest number that codes and receipts allow, so that enough numbers are left for the next payments. */
export const MAX_ID = 10_000_000_000;

const mostOfMerchant = (from: string) =>
  `SELECT max(count) FROM (SELECT count(*) AS count FROM ${from} GROUP BY merchant_id)`;

/** The bounds that no CHECK can have: each a query for a number, the most that is allowed, and what is counted. */
const MOST: readonly (readonly [counts: string, most: number, of: string])[] = [
  ["SELECT count(*) FROM merchants", MAX_MERCHANTS, "merchants"],
  [mostOfMerchant("payment_accounts"), MAX_ACCOUNTS, "payment accounts of a merchant"],
  [mostOfMerchant("api_keys WHERE revoked_at_ms IS NULL"), MAX_KEYS, "keys in force of a merchant"],
  [mostOfMerchant("api_keys WHERE revoked_at_ms IS NOT NULL"), MAX_REVOKED_KEYS, "revoked keys of a merchant"],
  ["SELECT 1 - count(*) FROM numbering", 0, "databases without a key for request ids"],
];

interface RowRule {
  /** What must be. */
  readonly rule: string;
  readonly table: (typeof TABLES)[number];
  /** Selects the rows that break it. */
  readonly broken: string;
}

/** What no CHECK says of a row. */
const RULES: readonly RowRule[] = [
  { rule: `id must be from 1 to ${MAX_ID}`, table: "transactions", broken: `id > ${MAX_ID}` },
  { rule: `last_forgotten must be from 0 to ${MAX_ID}`, table: "numbering", broken: `last_forgotten > ${MAX_ID}` },
  {
    rule: "result_desc must be set, because its code has no standard text",
    table: "transactions",
    broken: `result_desc IS NULL AND result_code NOT IN (${Object.keys(RESULT_CODES).join(", ")})`,
  },
  {
    rule: "completed_at_ms must not be before created_at_ms",
    table: "transactions",
    broken: "completed_at_ms < created_at_ms",
  },
];

function requireBounds(client: Database, name: string): void {
  for (const [counts, most, of] of MOST) {
    const count = Number(firstOf(client, counts));
    if (count > most) throw refusal(name, `there are ${count} ${of}; at most ${most} are allowed`);
  }
  for (const { rule, table, broken } of RULES) {
    const id = firstOf(client, `SELECT id FROM ${table} WHERE ${broken} LIMIT 1`);
    if (id !== undefined) throw refusal(name, `row ${id} of ${table}: ${rule}`);
  }
}
