import { Database } from "bun:sqlite";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statfsSync } from "node:fs";
import { explain, isBusy, requirePlainFile } from "./database.ts";

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
    holder.run("PRAGMA busy_timeout = 0");
    holder.run("PRAGMA journal_mode = MEMORY"); // no second file
    holder.run("BEGIN EXCLUSIVE");
  } catch (error) {
    holder?.close();
    throw explain(error, file);
  }
  const held = holder;
  if (!isKept(file)) {
    held.close();
    throw explain({ code: "ENOLCK" }, file);
  }
  return () => held.close();
}

/** The file systems of other programs keep their locks where Linux does not show them. */
const FUSE = 0x65735546;

/**
 * Whether the system keeps the lock, as far as it tells. Where locks are only a pretence, two servers would damage the database.
 * Linux shows the locks of an open file, in the form that also has `mnt_id`.
 */
function isKept(file: string): boolean {
  if (process.platform !== "linux" || statfsSync(file).type === FUSE) return true;
  try {
    const path = realpathSync(file);
    const descriptors = readdirSync("/proc/self/fd").filter((number) => linkOf(`/proc/self/fd/${number}`) === path);
    const infos = descriptors.map((number) => readFileSync(`/proc/self/fdinfo/${number}`, "utf8"));
    return infos.length === 0 || infos.some((info) => !info.includes("mnt_id:") || info.includes("lock:"));
  } catch {
    return true; // without /proc
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
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
