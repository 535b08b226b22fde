import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";
import { isForeign, statsOfPlace } from "./files.ts";

/**
 * Folders for one run. Its process holds a lock in it while it lives, so the next process can recognize the folder of a killed
 * process and remove it.
 */

const PREFIX = "momo-temporary-";
const LOCK = "in-use.lock";

/** The functions that release the locks of this process's folders. */
const held = new Map<string, () => void>();

/**
 * A private data directory for one run.
 * @throws Failure that names the place if it cannot be created
 */
export function makeTemporaryDirectory(): DataDirectory {
  const place = tmpdir();
  try {
    return dataDirectoryAt(makeLockedFolder(place));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      "unexpected",
      `${place} can hold no temporary folder (${code ?? (error as Error).message})`,
      "name another place in the variable TMPDIR",
    );
  }
}

export function removeTemporaryDirectory({ path }: DataDirectory): void {
  removeFolder(path, held.get(path));
}

/** How often another process may mistake a new folder for a leftover, before it is locked. */
const MAX_ENCOUNTERS = 10;

/**
 * Creates a folder in a place, and locks it while this process lives.
 * @throws an error of the system, or UnusableDatabase
 */
function makeLockedFolder(place: string): string {
  for (let encounter = 1; ; encounter += 1) {
    const path = mkdtempSync(join(place, PREFIX));
    const lock = join(path, LOCK);
    try {
      const release = acquireLock(lock);
      if (!existsSync(lock)) {
        release();
        throw new UnusableDatabase("missing", `${lock} was removed`);
      }
      held.set(path, release);
      return path;
    } catch (error) {
      rmSync(path, { recursive: true, force: true });
      if (!(error instanceof UnusableDatabase) || encounter === MAX_ENCOUNTERS) throw error;
    }
  }
}

/** Removes the lock last, so that the next process can recognize what is left. */
function removeFolder(path: string, release?: () => void): void {
  if (!existsSync(path)) return;
  for (const name of readdirSync(path)) {
    if (name !== LOCK) rmSync(join(path, name), { recursive: true, force: true });
  }
  held.delete(path);
  release?.(); // Windows removes no file that is open
  rmSync(path, { recursive: true, force: true });
}

/**
 * Removes the folders of killed processes: folders with our kind of name, of our user, and with a lock that no process holds. If it
 * fails, the next process tries again.
 */
export function removeTemporaryLeftovers(place = tmpdir()): void {
  for (const path of ownFolders(place)) {
    try {
      if (existsSync(join(path, LOCK))) {
        const release = acquireLock(join(path, LOCK));
        try {
          removeFolder(path, release);
        } finally {
          release();
        }
      } else {
        // Its process was killed before it locked the folder, or is about to lock it, and then makes another folder.
        // rmdir removes it only if it is empty.
        rmdirSync(path);
      }
    } catch {
      // A process holds the lock, or has removed the folder.
    }
  }
}

/** Links are not followed, and the folders of other users are not touched. */
function ownFolders(place: string): string[] {
  return namesIn(place)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(place, name))
    .filter((path) => {
      const stats = statsOfPlace(path);
      return stats?.isDirectory() && !isForeign(stats);
    });
}

/** None if there is no such folder, or it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
