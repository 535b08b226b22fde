import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { acquireLock, isHeld } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { type DataDirectory, dataDirectoryAt, filesOf } from "./data-directory.ts";
import { cannotWrite, statsOfPlace, TEMPORARY_PREFIX } from "./files.ts";
import { isDraftName, ownIn } from "./leftovers.ts";
import { whyNotOurs } from "./own-directory.ts";

/**
 * A data directory for one run. The process holds a lock in it while it lives, so the next process knows what a killed one has left
 * behind, and removes it.
 */

const LOCK = "in-use.lock";

/** How many new folders another process may remove as leftovers before one is locked. */
const MAX_ENCOUNTERS = 100;

/**
 * A private data directory for one run.
 * @throws Failure that names the place if it cannot be created
 */
export function makeTemporaryDirectory(): { readonly directory: DataDirectory; remove(): void } {
  const place = resolve(tmpdir()); // it may be relative, and the command of momo exec may change its folder
  for (let encounter = 1; ; encounter += 1) {
    let path: string | undefined;
    try {
      path = mkdtempSync(join(place, TEMPORARY_PREFIX));
      const lock = join(path, LOCK);
      const release = acquireLock(lock);
      const directory = dataDirectoryAt(path);
      if (existsSync(lock)) return { directory, remove: () => removeFolder(directory.path, release) };
      release();
    } catch (error) {
      // Another process may be about to remove the folder: its lock is gone first.
      const { code } = error as NodeJS.ErrnoException;
      const isGone = path !== undefined && (code === "ENOENT" || !existsSync(path));
      if (path !== undefined) rmSync(path, { recursive: true, force: true });
      const isTaken = isGone || (error instanceof UnusableDatabase && error.problem !== "unwritable");
      if (isTaken && encounter < MAX_ENCOUNTERS) continue;
      throw cannotWrite(path ?? join(place, TEMPORARY_PREFIX), error);
    }
  }
}

/** The failure of a start in a temporary directory. */
export const explainTemporary = ({ path }: DataDirectory, error: unknown): unknown =>
  error instanceof UnusableDatabase ? cannotWrite(path, error) : error;

/** Removes the lock last, so that the next process can recognize what is left. */
function removeFolder(path: string, release: () => void): void {
  try {
    const names = existsSync(path) ? readdirSync(path) : [];
    for (const name of names) if (name !== LOCK) rmSync(join(path, name), { recursive: true, force: true });
    // Before the release: a process that waits for this lock makes another folder if this one is gone.
    if (process.platform !== "win32") rmSync(path, { recursive: true, force: true });
  } finally {
    release(); // Windows removes no file that is open
  }
  rmSync(path, { recursive: true, force: true });
}

/** As `mkdtemp` names it. */
const NAME = new RegExp(`^${TEMPORARY_PREFIX}[A-Za-z0-9]{6}$`);

/** Removes the temporary directories of killed processes. If it fails, the next process tries again. */
export function removeTemporaryLeftovers(place = tmpdir()): void {
  for (const path of ownIn(place, "isDirectory", (name) => NAME.test(name))) {
    const lock = join(path, LOCK);
    try {
      // Its process was killed before it locked the folder, or is about to lock it, and then makes another folder.
      // rmdir removes it only if it is empty.
      if (!existsSync(lock)) rmdirSync(path);
      else if (isOwnLock(lock) && !isHeld(lock)) removeLeftover(path, acquireLock(lock));
    } catch {
      // A process holds the lock, or has removed the folder.
    }
  }
}

/** The lock of momo is empty. */
function isOwnLock(lock: string): boolean {
  const stats = statsOfPlace(lock);
  return stats?.isFile() === true && stats.size === 0;
}

/** Its files are judged only now, because to look at the files of a process that lives would get in its way. */
function removeLeftover(path: string, release: () => void): void {
  if (hasOnlyOurs(path)) removeFolder(path, release);
  else release();
}

/** Of `momo exec --intercept`. */
const OF_INTERCEPT = "intercept";

/** Whether all that is in a folder is momo's. */
function hasOnlyOurs(path: string): boolean {
  const directory = dataDirectoryAt(path);
  const ours = new Set([LOCK, OF_INTERCEPT, ...filesOf(directory).map((file) => basename(file))]);
  return readdirSync(path).every((name) => ours.has(name) || isDraftName(name)) && whyNotOurs(directory).length === 0;
}
