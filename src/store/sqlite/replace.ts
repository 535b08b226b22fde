import { Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UnusableDatabase } from "../store.ts";
import { explain, firstOf } from "./database.ts";

/** Puts one database file in the place of another, so that whatever fails, and whenever the process dies, none is lost. */

/** What SQLite keeps beside a database that is open, or was when its process died. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** A database file, and all that SQLite keeps beside it. */
export const withCompanions = (file: string): string[] => [file, ...COMPANIONS.map((companion) => file + companion)];

/** How long to wait for another process that has the database open. */
const BUSY_TIMEOUT_MS = 5000;

/** Removes a database file with all that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const path of withCompanions(file)) rmSync(path, { force: true });
}

/**
 * Puts a copy in the place of the database. What was answered may stand in the old one's log alone, so that the log is written
 * into its file first: where the rename then fails, nothing is lost.
 * @throws UnusableDatabase; then the old database is as it was
 */
export function putInPlace(copy: string, file: string): void {
  checkpoint(copy);
  try {
    checkpoint(file);
  } catch (error) {
    if (!(error instanceof UnusableDatabase && error.problem === "damaged")) throw error;
    // Its log cannot be written into it, and must not be played into the new one. It comes back where the rename fails.
    for (const [log, aside] of logs(copy, file)) if (existsSync(log)) renameSync(log, aside);
  }
  // Empty by now, or for SQLite alone.
  for (const companion of COMPANIONS) rmSync(file + companion, { force: true });
  try {
    renameSync(copy, file);
  } catch (error) {
    restoreLogs(copy, file);
    const { code } = error as NodeJS.ErrnoException;
    throw new UnusableDatabase("unwritable", `${file} cannot be replaced (${code}), and is as it was`);
  }
  flushToDisk(dirname(file)); // where its name stands
  restoreLogs(copy, file);
}

/**
 * Does what {@link putInPlace} could not do to its end, because its process was killed. The copy tells how far it came: as long as
 * it is there, the old database is still in its place.
 */
export function restoreLogs(copy: string, file: string): void {
  for (const [log, aside] of logs(copy, file)) {
    if (!existsSync(aside)) continue;
    if (existsSync(copy)) renameSync(aside, log);
    else rmSync(aside);
  }
}

/** Where the log of a damaged database is, and where it waits. */
const logs = (copy: string, file: string): [log: string, aside: string][] =>
  ["-wal", "-journal"].map((companion) => [file + companion, `${copy}-old${companion}`]);

/**
 * Brings all that a database holds into its one file.
 * @throws UnusableDatabase `locked` while another process has it open, `damaged` where it is no database
 */
function checkpoint(file: string): void {
  if (!withCompanions(file).slice(1).some(existsSync) || !existsSync(file)) return;
  let client: Database | undefined;
  try {
    client = new Database(file, { create: false, readwrite: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    client.run("PRAGMA synchronous = FULL");
    firstOf(client, "SELECT count(*) FROM sqlite_schema"); // plays a journal back
    // Writes the log into the file, flushes it, and removes the log; only where nobody else has it open.
    if (firstOf(client, "PRAGMA journal_mode = DELETE") !== "delete") {
      throw new UnusableDatabase("locked", `${file} is in use by another program`);
    }
  } catch (error) {
    throw explain(error, file);
  } finally {
    client?.close(true);
  }
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
