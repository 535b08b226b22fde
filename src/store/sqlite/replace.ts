import { Database } from "bun:sqlite";
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { causeOf } from "../causes.ts";
import { UnusableDatabase } from "../store.ts";
import { BUSY_TIMEOUT_MS, firstOf } from "./database.ts";
import { aside, flushToDisk, LOGS, withCompanions } from "./draft.ts";
import { explain } from "./failures.ts";

/** Replaces one database file by another. Neither a failure nor a crash loses a database. */

/** Removes a database file, and the files that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const path of withCompanions(file)) rmSync(path, { force: true });
}

/**
 * Replaces the database by a copy. The old log may hold payments that the old file does not, so the log is first written into the
 * file: if the rename fails, nothing is lost.
 * @throws UnusableDatabase; then the old database is as it was
 */
export function putInPlace(copy: string, file: string): void {
  checkpoint(copy);
  try {
    checkpoint(file);
  } catch (error) {
    if (!(error instanceof UnusableDatabase && error.problem === "damaged")) throw error;
    // The log of a damaged file cannot be written into it, and must not be applied to the new one. A failed rename puts it back.
    for (const [log, aside] of logs(copy, file)) if (existsSync(log)) renameSync(log, aside);
  }
  // The logs are empty now, and SQLite creates the index of a log again.
  for (const companion of withCompanions(file).slice(1)) rmSync(companion, { force: true });
  try {
    renameSync(copy, file);
  } catch (error) {
    restoreLogs(copy, file);
    const { reason, remedy } = causeOf(error) ?? { reason: String(error), remedy: null };
    throw new UnusableDatabase("unwritable", `${file} cannot be replaced, and is as it was: ${reason}`, remedy);
  }
  flushToDisk(dirname(file)); // the folder holds the new name
  restoreLogs(copy, file);
}

/**
 * Finishes a {@link putInPlace} whose process was killed. While the copy exists, the old database is still in its
 * place.
 */
export function restoreLogs(copy: string, file: string): void {
  for (const [log, aside] of logs(copy, file)) {
    if (!existsSync(aside)) continue;
    if (existsSync(copy)) renameSync(aside, log);
    else rmSync(aside);
  }
}

/** The path of each log of a damaged database, and the path to which it is moved before the rename. */
const logs = (copy: string, file: string): [log: string, aside: string][] =>
  LOGS.map((log) => [file + log, aside(copy, log)]);

/**
 * Writes all content of a database into its one file.
 * @throws UnusableDatabase `locked` while another process has it open, `damaged` if it is no database
 */
function checkpoint(file: string): void {
  if (!withCompanions(file).slice(1).some(existsSync) || !existsSync(file)) return;
  try {
    using client = new Database(file, { create: false, readwrite: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    client.run("PRAGMA synchronous = FULL");
    firstOf(client, "SELECT count(*) FROM sqlite_schema"); // applies a journal
    // Writes the log into the file, flushes it, and removes the log, unless another process has it open.
    if (firstOf(client, "PRAGMA journal_mode = DELETE") !== "delete") {
      throw new UnusableDatabase("locked", `${file} is in use by another program`);
    }
  } catch (error) {
    throw explain(error, file);
  }
}
