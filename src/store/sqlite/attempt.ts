import { Database } from "bun:sqlite";
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statfsSync,
  truncateSync,
} from "node:fs";
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
    draft = writeDraft(file, new Uint8Array(ATTEMPT_BYTES), true);
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
    return isKept(file) ? null : { code: "ENOLCK" };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return /^SQLITE_(?:BUSY|PROTOCOL|IOERR_\w*LOCK)/.test(code) ? { code: "ENOLCK" } : null;
  }
}

/** The file systems of other programs keep their locks where Linux does not show them. */
const FUSE = 0x65735546;

/**
 * Whether the system keeps the lock, as far as it tells. Where locks are only a pretence, two servers would damage the database.
 * Linux shows the locks of an open file, in the form that also has `mnt_id`.
 */
export function isKept(file: string): boolean {
  if (process.platform !== "linux" || statfsSync(file).type === FUSE) return true;
  try {
    const path = realpathSync(file);
    // One of them is closed meanwhile.
    const linkOf = (number: string) => readOrNull(() => readlinkSync(`/proc/self/fd/${number}`));
    const descriptors = readdirSync("/proc/self/fd").filter((number) => linkOf(number) === path);
    const infos = descriptors.map((number) => readFileSync(`/proc/self/fdinfo/${number}`, "utf8"));
    return infos.length === 0 || infos.some((info) => !info.includes("mnt_id:") || info.includes("lock:"));
  } catch {
    return true; // without /proc
  }
}
