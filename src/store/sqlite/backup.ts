import { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UnusableDatabase } from "../store.ts";
import { explain, firstOf, refuseOthers, requirePlainFile } from "./database.ts";
import { declarationsAt, declarationsOf } from "./migrations.ts";

/** Copies of a whole database: made while it is in use, and looked through before they take its place. */

/** What a sound copy holds. */
export interface CopyContents {
  readonly schema: number;
  readonly merchants: number;
  readonly transactions: number;
}

/** How long a copy waits for another process that recovers the database. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Writes a copy of the database as it is at one point in time. Servers go on reading and writing meanwhile.
 * @param copy an absolute path, where there is nothing yet but an empty file
 * @param name what the copy is called in a refusal
 * @throws UnusableDatabase that names the file in question
 */
export function copyDatabase(file: string, copy: string, name: string): void {
  if (!existsSync(file)) throw new UnusableDatabase("missing", `there is no database at ${file}`);
  requirePlainFile(file);
  let client: Database | undefined;
  let isOpen = false;
  try {
    // For writing, though nothing is written: a reader alone would leave its journal files behind.
    client = new Database(file, { readwrite: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    refuseOthers(client, file);
    isOpen = true;
    client.query("VACUUM INTO ?").run(copy);
  } catch (error) {
    // Once the database is open, what cannot be written is the copy.
    const problem = explain(error, file);
    const isOfCopy = isOpen && problem instanceof UnusableDatabase && problem.problem === "unwritable";
    throw isOfCopy ? explain(error, name) : problem;
  } finally {
    client?.close(true);
  }
}

/**
 * Looks through a file that is to become the database: every page, every index, every reference. It may come from anywhere, so
 * that nothing of it is trusted: its tables, checks and triggers must be momo's own, to the letter.
 * @param name what the file is called in a refusal
 * @throws UnusableDatabase where it is damaged, of another program, or of a newer momo
 */
export function inspectCopy(file: string, name: string): CopyContents {
  let client: Database | undefined;
  try {
    client = new Database(file, { readonly: true });
    client.run("PRAGMA trusted_schema = OFF");
    client.run("PRAGMA cell_size_check = ON");
    const schema = refuseOthers(client, name);
    if (schema === 0 || declarationsOf(client) !== declarationsAt(schema)) {
      throw new UnusableDatabase("foreign", `${name} is not a database of momo's`);
    }
    const damage = firstOf(client, "PRAGMA integrity_check(1)");
    if (damage !== "ok") throw new UnusableDatabase("damaged", `${name} is damaged: ${damage}`);
    if (firstOf(client, "PRAGMA foreign_key_check") !== undefined) {
      throw new UnusableDatabase("damaged", `${name} is damaged: a row refers to one that is not there`);
    }
    return {
      schema,
      merchants: Number(firstOf(client, "SELECT count(*) FROM merchants")),
      transactions: Number(firstOf(client, "SELECT count(*) FROM transactions")),
    };
  } catch (error) {
    throw explain(error, name);
  } finally {
    client?.close(true);
  }
}

/** What SQLite keeps beside a database that is open, or was when its process died. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** Removes a database file with all that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  removeCompanions(file);
  rmSync(file, { force: true });
}

/** Puts a copy in the place of the database. Nobody may have either open. */
export function putInPlace(copy: string, file: string): void {
  // First, because a journal of the old database would be played into the new one.
  removeCompanions(file);
  removeCompanions(copy);
  renameSync(copy, file);
  flushToDisk(dirname(file)); // where its name stands
}

function removeCompanions(file: string): void {
  for (const companion of COMPANIONS) rmSync(file + companion, { force: true });
}

/** Returns when a file, or the names in a folder, would survive a loss of power. Windows flushes no folder. */
export function flushToDisk(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && process.platform === "win32") return;
  const descriptor = openSync(path, isFolder ? "r" : "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
