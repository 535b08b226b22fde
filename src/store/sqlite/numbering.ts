import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { createRequestIds, MAX_NUMBER, type RequestIds } from "../../domain/identifiers.ts";
import { UnusableDatabase } from "../store.ts";
import { BUSY_TIMEOUT_MS, firstOf, type OpenDatabase, requirePlainFile } from "./database.ts";
import { explain } from "./failures.ts";

/** The greatest number of the transactions that exist. */
const GREATEST = "SELECT coalesce(max(id), 0) FROM transactions";

export interface Numbering {
  /** Writes numbers as request ids, under the key of this database. */
  readonly requestIds: RequestIds;
  /** A number that no transaction of this database has or had. */
  next(): number;
  /** Call it in the transaction that removes all rows, so that their numbers are not used again after a restart either. */
  saveLastUsed(): void;
  /** Call it in the transaction of a reset. */
  reset(): void;
  /** Call it when the reset is on disk. */
  afterReset(): void;
}

/**
 * The numbers of transactions. None is used twice in a database: the next one is greater than all in use, and greater than all
 * that a reset or an import removed. Numbers are assigned in memory. A number whose payment was never stored can be used again
 * after a restart: no client knows it.
 * @param isSeeded whether a reset begins with the first number again, so that tests with a seed get the same ids after it
 */
export function createNumbering(client: Database, isSeeded = false): Numbering {
  const key = firstOf(client, "SELECT request_id_key FROM numbering");
  if (!(key instanceof Uint8Array)) throw new Error("the database has no key for request ids");
  /** The greatest number that this process gave. */
  let given = 0;
  /** The greatest number that the database has used; undefined until it is read. */
  let stored: number | undefined;
  function lastUsed(): number {
    stored ??= Number(firstOf(client, `SELECT max(last_forgotten, (${GREATEST})) FROM numbering`));
    return Math.max(given, stored);
  }

  return {
    requestIds: createRequestIds(key),
    next(): number {
      if (lastUsed() >= MAX_NUMBER) throw new Error("all numbers are used");
      given = lastUsed() + 1;
      return given;
    },
    saveLastUsed() {
      saveLastUsed(client, lastUsed());
      stored = undefined; // a restored copy can have greater numbers
    },
    reset() {
      if (isSeeded) client.run("UPDATE numbering SET last_forgotten = 0");
    },
    afterReset() {
      if (isSeeded) given = 0;
    },
  };
}

function saveLastUsed(client: Database, lastUsed: number): void {
  client.run("UPDATE numbering SET last_forgotten = max(last_forgotten, ?)", [lastUsed]);
}

/**
 * Makes a database without payments use this key for its request ids.
 * @throws UnusableDatabase if it has payments under another key
 */
export function useKey({ client, close }: OpenDatabase, file: string, key: Uint8Array): void {
  client.query("UPDATE numbering SET request_id_key = ? WHERE NOT EXISTS (SELECT 1 FROM transactions)").run(key);
  const used = firstOf(client, "SELECT request_id_key FROM numbering") as Uint8Array;
  if (Buffer.compare(used, key) === 0) return;
  close();
  throw new UnusableDatabase("seeded", `${file} has payments that do not come from this seed`);
}

/**
 * Makes the numbers of a copy, which has the newest schema, continue after those of the database that it replaces, if there is one.
 * @returns false if the database is damaged, because then its used numbers are unknown
 */
export function continueNumbers(copy: string, file: string): boolean {
  const lastUsed = existsSync(file) ? lastUsedNumber(file) : 0;
  if (lastUsed === null || lastUsed === 0) return lastUsed !== null;
  try {
    using client = new Database(copy, { readwrite: true });
    // Without a log: only the file of the copy is moved.
    client.run("PRAGMA journal_mode = DELETE");
    client.run("PRAGMA synchronous = FULL");
    saveLastUsed(client, lastUsed);
  } catch (error) {
    throw explain(error, copy);
  }
  return true;
}

/** The greatest number that a database has used; null if it cannot be read. */
function lastUsedNumber(file: string): number | null {
  requirePlainFile(file);
  try {
    // Open it for writing, although nothing is written: a reader cannot open a log that a killed process left.
    using client = new Database(file, { readwrite: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const has = (table: string) => firstOf(client, `SELECT 1 FROM sqlite_schema WHERE name = '${table}'`) === 1;
    const lastForgotten = has("numbering") ? Number(firstOf(client, "SELECT last_forgotten FROM numbering") ?? 0) : 0;
    const greatest = has("transactions") ? Number(firstOf(client, GREATEST)) : 0;
    return Math.max(lastForgotten, greatest);
  } catch (error) {
    if (error instanceof SQLiteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code ?? "")) return null;
    throw explain(error, file);
  }
}
