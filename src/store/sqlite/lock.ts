import { Database } from "bun:sqlite";
import { existsSync, lstatSync } from "node:fs";
import { requirePlainFile } from "./database.ts";
import { explain, isBusy } from "./failures.ts";

/** {@link isHeld} of another process, which only looks, is over in this time. */
const LOOK_MS = 500;

/**
 * Takes a lock that one process at a time can hold. The operating system releases it when the process ends, even if it is killed.
 * SQLite provides the same lock on every platform: an exclusive transaction on a separate file, never committed.
 * @returns a function that releases the lock
 * @throws UnusableDatabase `locked` while another process holds it, `linked` if the file is a link
 */
export function acquireLock(file: string): () => void {
  requirePlainFile(file);
  let holder: Database | undefined;
  try {
    holder = new Database(file, { create: true, readwrite: true });
    holder.run(`PRAGMA busy_timeout = ${LOOK_MS}`);
    holder.run("PRAGMA journal_mode = MEMORY"); // no second file
    holder.run("BEGIN EXCLUSIVE");
  } catch (error) {
    holder?.close();
    throw explain(error, file);
  }
  const held = holder;
  return () => held.close();
}

/** Whether a process holds the lock. It changes nothing, and blocks another process only for a moment. */
export function isHeld(file: string): boolean {
  if (!existsSync(file) || !lstatSync(file).isFile()) return false;
  try {
    using reader = new Database(file, { readonly: true });
    reader.run("PRAGMA busy_timeout = 0");
    reader.query("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isBusy(error);
  }
}
