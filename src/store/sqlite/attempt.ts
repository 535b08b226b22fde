import { Database } from "bun:sqlite";
import { accessSync, chmodSync, constants, lstatSync, rmSync, truncateSync } from "node:fs";
import { readOrNull } from "../../domain/read-or-null.ts";
import { writeDraft } from "./draft.ts";

/** SQLite hides the errors of the system. An attempt in the same folder finds them. */

/** As much as a new database and its log need. */
const ATTEMPT_BYTES = 128 * 1024;

/**
 * Uses a file beside another one as SQLite would.
 * @returns the error of the system; null if all works. The file itself is not opened: to close it would end SQLite's locks.
 */
export function attemptBeside(file: string): unknown {
  let draft: string | undefined;
  try {
    if (lstatSync(file, { throwIfNoEntry: false })) accessSync(file, constants.R_OK | constants.W_OK);
    draft = writeDraft(file, new Uint8Array(ATTEMPT_BYTES));
    chmodSync(draft, 0o600);
    truncateSync(draft);
    return attemptLock(draft);
  } catch (error) {
    return error;
  } finally {
    for (const made of draft === undefined ? [] : [draft, `${draft}-journal`])
      readOrNull(() => rmSync(made, { force: true }));
  }
}

/** A lock on a file that nobody else knows fails only where there are no locks. */
function attemptLock(file: string): unknown {
  try {
    using holder = new Database(file, { readwrite: true });
    holder.run("PRAGMA journal_mode = MEMORY");
    holder.run("BEGIN EXCLUSIVE");
    return null;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return /^SQLITE_(?:BUSY|PROTOCOL|IOERR_\w*LOCK)/.test(code) ? { code: "ENOLCK" } : null;
  }
}
