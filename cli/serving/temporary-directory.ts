import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock, isHeld } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";
import { isForeign, statsOfPlace } from "./ownership.ts";

/**
 * Folders for one run. Each holds a lock as long as the process lives that made it, so that what a killed process left behind is
 * known, and can be removed by the next one.
 */

const PREFIX = "momo-temporary-";
const LOCK = "in-use.lock";

/** How to give back the locks of this process's folders. */
const held = new Map<string, () => void>();

/**
 * A data directory for one run, which only its owner can read. What killed processes left beside it is removed first.
 * @throws Failure that names the place where none can be made
 */
export function makeTemporaryDirectory(): DataDirectory {
  const place = tmpdir();
  removeLeftovers(place);
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
  removeLockedFolder(path);
}

/** How often another process may take a new folder for a leftover, in the moment before it is locked. */
const MAX_ENCOUNTERS = 10;

/**
 * A new folder in a place, ours as long as this process lives.
 * @throws an error of the system, or UnusableDatabase
 */
export function makeLockedFolder(place: string): string {
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

/** The lock goes last: as long as anything is left, the next process can tell what it is. */
export function removeLockedFolder(path: string, release = held.get(path)): void {
  if (!existsSync(path)) return;
  for (const name of readdirSync(path)) {
    if (name !== LOCK) rmSync(join(path, name), { recursive: true, force: true });
  }
  held.delete(path);
  release?.(); // Windows removes no file that is open
  rmSync(path, { recursive: true, force: true });
}

/** The folders of killed processes in a place. Nothing is changed. */
export function findLeftFolders(place: string): string[] {
  return ownFolders(place).filter((path) => existsSync(join(path, LOCK)) && !isHeld(join(path, LOCK)));
}

/**
 * Removes the folders of killed processes: those that are named as ours are, belong to us, and whose lock nobody holds. It may
 * fail, and then the next process tries again.
 * @param before is told of each before it goes
 */
export function removeLeftovers(place: string, before?: (path: string) => void): void {
  for (const path of ownFolders(place)) {
    try {
      if (existsSync(join(path, LOCK))) {
        const release = acquireLock(join(path, LOCK));
        try {
          before?.(path);
          removeLockedFolder(path, release);
        } finally {
          release();
        }
      } else {
        // Killed before it had a lock, or about to take one: then that process makes another folder. It takes an empty one alone.
        rmdirSync(path);
      }
    } catch {
      // A process holds it, or has removed it meanwhile.
    }
  }
}

/** No link is followed, and nothing of another user's is touched. */
function ownFolders(place: string): string[] {
  return namesIn(place)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(place, name))
    .filter((path) => {
      const stats = statsOfPlace(path);
      return stats?.isDirectory() && !isForeign(stats);
    });
}

/** None where there is no such folder, or it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
