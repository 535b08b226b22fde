import { type Database, SQLiteError } from "bun:sqlite";
import { shown } from "../../domain/error.ts";
import { isLine, MAX_LINE_LENGTH } from "../../domain/line.ts";
import { MAX_ACCOUNTS, MAX_KEYS, MAX_MERCHANTS, MAX_REVOKED_KEYS } from "../../domain/merchant.ts";
import { RESULT_CODES } from "../../domain/outcome.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../../domain/transaction.ts";
import { UnusableDatabase } from "../store.ts";
import type { TABLES, TableRow } from "../transfer.ts";
import { firstOf } from "./database.ts";

/** What momo never stores, and an import refuses. Most rules are CHECKs of the tables; the rest is here. */

const refusal = (name: string, what: string) =>
  new UnusableDatabase("foreign", `${name} holds what momo never stores: ${what}`);

/** Of a table. */
type Row = Readonly<Record<string, unknown>>;

/** The texts that people choose. */
const TEXTS = [
  ["merchants", "name"],
  ["payment_accounts", "name"],
  ["api_keys", "label"],
  ["transactions", "reference"],
  ["transactions", "description"],
] as const;

const UTF_8 = new TextDecoder("utf-8", { fatal: true });
const LOSSY_UTF_8 = new TextDecoder();

/** SQLite keeps any bytes as text. Half of a surrogate pair is not UTF-8 either. */
export function requireTexts(client: Database, name: string): void {
  for (const [table, column] of TEXTS) requireText(client, name, table, column);
}

function requireText(client: Database, name: string, table: string, column: string): void {
  const rows = client.query<{ row: number; bytes: Uint8Array }, []>(
    `SELECT rowid AS row, CAST(${column} AS BLOB) AS bytes FROM ${table}
    WHERE ${column} GLOB '*['||char(128)||'-'||char(1114111)||']*' OR octet_length(${column}) <> length(${column})`,
  );
  for (const { row, bytes } of rows.iterate()) {
    try {
      UTF_8.decode(bytes);
    } catch {
      throw refusal(
        name,
        `row ${row} of ${table}: ${column} must be UTF-8; it reads ${shown(LOSSY_UTF_8.decode(bytes))}`,
      );
    }
  }
}

const LONGEST = [
  ["reference", MAX_REFERENCE_LENGTH],
  ["description", MAX_DESCRIPTION_LENGTH],
] as const;

/**
 * What the CHECKs do not see in the texts of a transaction: they count the characters before a NUL, and know only the length of the
 * network's texts.
 * @param isMemo whether the provider can read its own note, the memo
 */
export function requireTextsOf(row: TableRow, name: string, isMemo: (memo: string) => boolean): void {
  const { id, memo, result_desc } = row;
  const refuse = (what: string, value: unknown) =>
    refusal(name, `row ${id} of transactions: ${what}; it is ${shown(value)}`);
  for (const [column, most] of LONGEST) {
    const text = String(row[column] ?? "");
    if (text.length > most && [...text].length > most)
      throw refuse(`${column} must be at most ${most} characters`, text);
  }
  if (!isMemo(String(memo))) throw refuse("memo must be one of a provider", memo);
  if (typeof result_desc === "string" && !isLine(result_desc))
    throw refuse(`result_desc must be 1 to ${MAX_LINE_LENGTH} characters on one line`, result_desc);
}

/** The texts and numbers of a row: not the hash of a secret, nor the key of the request ids. */
function valuesOf(row: Row): string {
  const members = Object.entries(row).filter(([, value]) => typeof value === "string" || typeof value === "number");
  return members.map(([column, value]) => `${column} ${shown(value)}`).join(", ");
}

const refusalOfRow = (name: string, table: string, row: Row, rule: string) =>
  refusal(name, `row ${row.id} of ${table}: ${rule}; it has ${valuesOf(row)}`);

/** The refusal of a row by a rule of the database, in SQLite's words: the name of a CHECK says what must be. */
export function refusalBy(error: unknown, name: string, table: string, row: Row): unknown {
  if (!(error instanceof SQLiteError && /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/.test(error.code ?? ""))) return error;
  return refusalOfRow(name, table, row, error.message);
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

export function requireRules(client: Database, name: string): void {
  for (const [counts, most, of] of MOST) {
    const count = Number(firstOf(client, counts));
    if (count > most) throw refusal(name, `there are ${count} ${of}; at most ${most} are allowed`);
  }
  for (const { rule, table, broken } of RULES) {
    const row = client.query<Row, []>(`SELECT * FROM ${table} WHERE ${broken} LIMIT 1`).get();
    if (row) throw refusalOfRow(name, table, row, rule);
  }
}
