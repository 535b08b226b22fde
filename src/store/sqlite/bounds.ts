import type { Database } from "bun:sqlite";
import { foldCase } from "../../domain/filter.ts";
import { MAX_ACCOUNTS, MAX_KEYS, MAX_MERCHANTS, MAX_REVOKED_KEYS } from "../../domain/merchant.ts";
import { RESULT_CODES } from "../../domain/outcome.ts";
import { firstOf } from "./database.ts";
import { SAME_NUMBERS } from "./order.ts";

/** Finds values that momo would never store, in databases that come from elsewhere. Most rules are the CHECKs of the schema. */

/** Far below the highest number that codes and receipts allow, so that enough numbers are left for the next payments. */
export const MAX_ID = 10_000_000_000;

const SHOWN = 40;

/**
 * Names the row that a CHECK of the schema refuses.
 * @param table in which SQLite has found it
 */
export function findBrokenRule(client: Database, table: string): string {
  const schema = client.query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE name = ?").get(table);
  for (const { column, rule, check } of rulesOf(schema?.sql ?? "")) {
    const value = column === undefined ? "NULL" : `substr(quote(${column}), 1, ${SHOWN})`;
    const [found] = client.query(`SELECT id, ${value} FROM ${table} WHERE NOT ${check} LIMIT 1`).values();
    if (!found) continue;
    const what = column === undefined ? `: ${rule}` : `.${column} is ${found[1]}, and must be ${rule}`;
    return `${table}${what} (row ${found[0]})`;
  }
  return `CHECK constraint failed in ${table}`;
}

/** The named CHECKs in the declaration of a table. Each belongs to the column of the last line that begins with one. */
function rulesOf(declaration: string): { column: string | undefined; rule: string; check: string }[] {
  return [...declaration.matchAll(/CONSTRAINT "([^"]+)"\s+CHECK (?=\()/g)].map(({ 0: head, 1: rule = "", index }) => {
    const before = declaration.slice(0, index);
    const [column] = before.endsWith("\n  ") ? [] : (before.match(/^ {2}[a-z_]+(?= [A-Z])/gm) ?? []).slice(-1);
    return { column: column?.trim(), rule, check: untilClosed(declaration.slice(index + head.length)) };
  });
}

/** The beginning of a text, up to the parenthesis that closes its first one. */
function untilClosed(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  return text;
}

/** The bounds on numbers of rows, and on ids that the schema allows later, each as a query for a number. */
const MOST: readonly { readonly of: string; readonly counts: string; readonly most: number }[] = [
  { of: "merchants", counts: "SELECT count(*) FROM merchants", most: MAX_MERCHANTS },
  { of: "transactions with the number of another one", counts: SAME_NUMBERS, most: 0 },
  { of: "databases without a key for request ids", counts: "SELECT 1 - count(*) FROM numbering", most: 0 },
  ...[
    { of: "payment accounts of a merchant", from: "payment_accounts", most: MAX_ACCOUNTS },
    { of: "keys in force of a merchant", from: "api_keys WHERE revoked_at_ms IS NULL", most: MAX_KEYS },
    { of: "revoked keys of a merchant", from: "api_keys WHERE revoked_at_ms IS NOT NULL", most: MAX_REVOKED_KEYS },
  ].map(({ of, from, most }) => ({
    of,
    counts: `SELECT max(count) FROM (SELECT count(*) AS count FROM ${from} GROUP BY merchant_id)`,
    most,
  })),
];

/**
 * Looks for what no CHECK can find, in a database of the newest schema.
 * @param isMemo whether one of our providers writes such memos
 * @returns the first finding, and what would be right; null if there is none
 */
export function findOutOfBounds(client: Database, isMemo: (memo: string) => boolean): string | null {
  for (const { of, counts, most } of MOST) {
    const count = Number(firstOf(client, counts));
    if (count > most) return `there are ${count} ${of}; at most ${most} are allowed`;
  }
  for (const [table, column] of [
    ["transactions", "id"],
    ["transactions", "number"],
    ["numbering", "last_forgotten"],
  ]) {
    const wrong = firstOf(client, `SELECT quote(${column}) FROM ${table} WHERE ${column} > ${MAX_ID}`);
    if (wrong !== undefined) return `${table}.${column} is ${wrong}, and must be from 1 to ${MAX_ID}`;
  }
  const codes = Object.keys(RESULT_CODES).join(", ");
  const code = firstOf(
    client,
    `SELECT result_code FROM transactions WHERE result_desc IS NULL AND result_code NOT IN (${codes})`,
  );
  if (code !== undefined)
    return `transactions.result_desc is NULL, and must be set, because ${code} has no standard text`;
  const early = firstOf(client, "SELECT id FROM transactions WHERE completed_at_ms < created_at_ms");
  if (early !== undefined) return `transactions.completed_at_ms must not be before created_at_ms (row ${early})`;
  for (const [table, column] of TEXTS) {
    const broken = firstNoText(client, table, column);
    if (broken) return broken;
  }
  return firstFolded(client) ?? firstMemo(client, isMemo);
}

/** The texts that people choose. */
const TEXTS = [
  ["merchants", "name"],
  ["payment_accounts", "name"],
  ["api_keys", "label"],
  ["transactions", "reference"],
  ["transactions", "description"],
] as const;

/** SQLite keeps any bytes as text. Half of a surrogate pair is not UTF-8 either. */
function firstNoText(client: Database, table: string, column: string): string | null {
  const rows = client.query<{ row: number; bytes: Uint8Array }, []>(
    `SELECT rowid AS row, CAST(${column} AS BLOB) AS bytes FROM ${table}
    WHERE ${column} GLOB '*['||char(128)||'-'||char(1114111)||']*' OR octet_length(${column}) <> length(${column})`,
  );
  for (const { row, bytes } of rows.iterate()) {
    try {
      UTF_8.decode(bytes);
    } catch {
      const value = Buffer.from(bytes).toString("hex").slice(0, SHOWN);
      return `${table}.${column} is x'${value}', and must be UTF-8 (row ${row})`;
    }
  }
  return null;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** The text that the search compares. SQL folds only the letters of ASCII. */
function firstFolded(client: Database): string | null {
  const rows = client.query<{ id: number; reference: string; folded: string }, []>(
    `SELECT id, reference, coalesce(reference_folded, reference) AS folded FROM transactions
    WHERE coalesce(reference_folded, reference) <> upper(reference)`,
  );
  for (const { id, reference, folded } of rows.iterate()) {
    if (folded !== foldCase(reference)) {
      return `transactions.reference_folded is ${shown(folded)}, and must be the reference in capitals (row ${id})`;
    }
  }
  return null;
}

interface MemoRow {
  readonly id: number;
  readonly memo: string;
}

function firstMemo(client: Database, isMemo: (memo: string) => boolean): string | null {
  for (const { id, memo } of client.query<MemoRow, []>("SELECT id, memo FROM transactions").iterate()) {
    if (!isMemo(memo)) return `transactions.memo is ${shown(memo)}, and must be a memo of a provider (row ${id})`;
  }
  return null;
}

const shown = (text: string): string => `'${text.slice(0, SHOWN)}'`;
