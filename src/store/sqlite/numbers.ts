import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { explain, firstOf, requirePlainFile } from "./database.ts";
import { migrate } from "./migrations.ts";

/**
 * The numbers of transactions. None is used twice in a database: the next one comes after all that are in use and after the
 * floor, which a reset and an import raise.
 */

/** The greatest number in use, by the transactions alone. */
const GREATEST = "SELECT coalesce(max(id), 0) FROM transactions";

/** As SQL: the number of the next transaction. */
export const NEXT_NUMBER = `1 + max((${GREATEST}), coalesce((SELECT last_used FROM number_floor), 0))`;

/** Counts all numbers that are in use, and those up to `lastUsed`, as used for ever. To be run inside a transaction. */
export function raiseNumberFloor(client: Database, lastUsed = 0): void {
  client
    .query<never, [number]>(
      `INSERT INTO number_floor VALUES (1, max((${GREATEST}), ?))
      ON CONFLICT DO UPDATE SET last_used = max(last_used, excluded.last_used)`,
    )
    .run(lastUsed);
}

/**
 * Has the numbers of a copy go on after those of the database whose place it takes.
 * @param copy has been looked through; it is brought up to date
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
    migrate(client, () => {});
    client.transaction(raiseNumberFloor).immediate(client, lastUsed);
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
    const hasFloor = firstOf(client, "SELECT 1 FROM sqlite_schema WHERE name = 'number_floor'") === 1;
    const hasTransactions = firstOf(client, "SELECT 1 FROM sqlite_schema WHERE name = 'transactions'") === 1;
    const floor = hasFloor ? Number(firstOf(client, "SELECT last_used FROM number_floor") ?? 0) : 0;
    const greatest = hasTransactions ? Number(firstOf(client, GREATEST)) : 0;
    return Math.max(floor, greatest);
  } catch (error) {
    if (error instanceof SQLiteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code ?? "")) return null;
    throw explain(error, file);
  } finally {
    client.close(true);
  }
}
