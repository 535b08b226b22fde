import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { createRequestIds, MAX_NUMBER, type RequestIds } from "../../domain/identifiers.ts";
import { onFirstUse } from "../../domain/on-first-use.ts";
import { explain, firstOf, requirePlainFile } from "./database.ts";

/**
 * The numbers of transactions. None is used twice in a database: the next one comes after all that are in use and after the last
 * of those that a reset or an import left behind.
 */
export interface Numbering {
  /** Writes numbers as request ids, under the key of this database. */
  readonly requestIds: () => RequestIds;
  /** A number that no transaction of this database has or had. */
  next(): number;
  /** To be run in the transaction that forgets all rows: their numbers are not given again after a restart either. */
  keepFloor(): void;
}

/** The greatest number in use, by the transactions alone. */
const GREATEST = "SELECT coalesce(max(id), 0) FROM transactions";

/** Numbers are given in memory. One whose payment was never stored may come again after a restart: nobody was told of it. */
export function createNumbering(client: Database): Numbering {
  let given: number | undefined;
  function lastGiven(): number {
    given ??= Number(firstOf(client, `SELECT max(last_forgotten, (${GREATEST})) FROM numbering`));
    return given;
  }

  return {
    requestIds: onFirstUse(() => {
      const key = firstOf(client, "SELECT request_id_key FROM numbering");
      if (!(key instanceof Uint8Array)) throw new Error("the database has no key for request ids");
      return createRequestIds(key);
    }),
    next() {
      if (lastGiven() >= MAX_NUMBER) throw new Error("every number is given");
      given = lastGiven() + 1;
      return given;
    },
    keepFloor: () => raiseFloor(client, lastGiven()),
  };
}

function raiseFloor(client: Database, lastUsed: number): void {
  client.run("UPDATE numbering SET last_forgotten = max(last_forgotten, ?)", [lastUsed]);
}

/**
 * Has the numbers of a copy go on after those of the database whose place it takes.
 * @param copy is of the newest schema
 * @param file the database; it may be missing
 * @returns false where the database is damaged, so that nobody knows which numbers it has used
 */
export function continueNumbers(copy: string, file: string): boolean {
  const lastUsed = existsSync(file) ? lastUsedNumber(file) : 0;
  if (lastUsed === null || lastUsed === 0) return lastUsed !== null;
  const client = new Database(copy, { readwrite: true });
  try {
    // Without a log beside it: the copy alone is put in place.
    client.run("PRAGMA journal_mode = DELETE");
    client.run("PRAGMA synchronous = FULL");
    raiseFloor(client, lastUsed);
  } catch (error) {
    throw explain(error, copy);
  } finally {
    client.close(true);
  }
  return true;
}

/** The greatest number that a database has used; null where that cannot be read. */
function lastUsedNumber(file: string): number | null {
  requirePlainFile(file);
  // For writing, though nothing is written: a reader alone could not open a log that a killed process left.
  const client = new Database(file, { readwrite: true });
  try {
    client.run("PRAGMA busy_timeout = 5000");
    const has = (table: string) => firstOf(client, `SELECT 1 FROM sqlite_schema WHERE name = '${table}'`) === 1;
    const floor = has("numbering") ? Number(firstOf(client, "SELECT last_forgotten FROM numbering") ?? 0) : 0;
    const greatest = has("transactions") ? Number(firstOf(client, GREATEST)) : 0;
    return Math.max(floor, greatest);
  } catch (error) {
    if (error instanceof SQLiteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code ?? "")) return null;
    throw explain(error, file);
  } finally {
    client.close(true);
  }
}
