import { Database } from "bun:sqlite";
import { UnusableDatabase } from "../store.ts";
import { findOutOfBounds } from "./bounds.ts";
import { explain, firstOf, openDatabase, refuseOthers, requireDatabase } from "./database.ts";
import { declarationsAt, declarationsOf, statisticsOf } from "./migrations.ts";
import { recount } from "./totals.ts";

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
  requireDatabase(file);
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
    // Nothing is written, but a reader alone would not have the CHECKs looked at.
    client = new Database(file, { create: false, readwrite: true });
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

/**
 * Makes a copy from elsewhere fit to become the database: brings its schema up to date, refuses what the API would never have
 * stored, and counts anew what is only counted. To be called after {@link inspectCopy}.
 * @param name what the file is called in a refusal
 * @param isMemo whether a provider of ours wrote such a memo
 * @throws UnusableDatabase that names table, column and value
 */
export function admitCopy(file: string, name: string, isMemo: (memo: string) => boolean): void {
  const { client, close } = openDatabase(file);
  try {
    const wrong = findOutOfBounds(client, isMemo);
    if (wrong !== null) throw new UnusableDatabase("foreign", `${name} holds what momo never stores: ${wrong}`);
    client.transaction(() => {
      recount(client);
      // What SQLite knows of them chooses its plans; it looks again.
      for (const table of statisticsOf(client)) client.run(`DELETE FROM ${table}`);
    })();
  } catch (error) {
    throw explain(error, name);
  } finally {
    close();
  }
}
