import { Database } from "bun:sqlite";
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";

/** SQLite hides the errors of the system. An attempt in the same folder finds them. */

/** As much as a new database and its log need. */
const ATTEMPT_BYTES = 128 * 1024;

/**
 * Uses a file beside another one as SQLite would.
 * @returns the error of the system; null if all works. The file itself is not opened: to close it would end SQLite's locks.
 */
export function attemptBeside(file: string): unknown {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    if (lstatSync(file, { throwIfNoEntry: false })) accessSync(file, constants.R_OK | constants.W_OK);
    const descriptor = openSync(draft, "wx", 0o600);
    try {
      for (let left = ATTEMPT_BYTES; left > 0; ) left -= writeSync(descriptor, new Uint8Array(left));
      fsyncSync(descriptor);
      ftruncateSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return attemptLock(draft);
  } catch (error) {
    return error;
  } finally {
    removeQuietly(draft);
    removeQuietly(`${draft}-journal`);
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

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It was not made.
  }
}
