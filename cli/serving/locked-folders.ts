import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { acquireLock, restoreLogs } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, dataDirectoryAt, filesOf } from "./data-directory.ts";
import { cannotWrite, statsOfPlace, TEMPORARY_PREFIX } from "./files.ts";
import { isForeign } from "./owners.ts";
import { readServer } from "./records.ts";

/**
 * Data directories that one process uses. It holds a lock while it lives, so the next process knows what a killed one has left
 * behind, and removes it: drafts in a data directory, and whole temporary directories.
 */

/**
 * Locks a data directory for this process, because a second server would resolve the same prompts, and an import would replace the
 * database of a running server.
 * @returns a function that releases the lock
 * @throws Failure that names the process that holds it
 */
export function lockDirectory(directory: DataDirectory): () => void {
  let release: () => void;
  try {
    release = acquireLock(directory.lock);
  } catch (error) {
    if (!(error instanceof UnusableDatabase && error.problem === "locked")) throw error;
    const holder = readOrNull(() => readServer(directory));
    throw new Failure(
      "unexpected",
      `${directory.path} is in use by another momo${holder ? ` (process ${holder.pid}, ${holder.base_url})` : ""}`,
      "stop that one, or choose another folder with --data",
    );
  }
  try {
    // Its server was killed.
    rmSync(directory.server, { force: true });
    removeLeftoversIn(directory);
    return release;
  } catch (error) {
    release();
    throw cannotWrite((error as NodeJS.ErrnoException).path ?? directory.path, error);
  }
}

/**
 * Removes the drafts that a killed import or server left in a data directory, such as `momo.db.123.tmp`, and SQLite's files beside
 * them. The caller must hold its lock, so that no other process writes drafts.
 */
export function removeLeftoversIn(directory: DataDirectory): void {
  const names = filesOf(directory).map((file) => basename(file));
  const drafts = ownIn(directory.path, "isFile", (entry) => {
    const [, name = ""] = /^(.+)\.[0-9]+(?:-copy)?\.tmp(?:-old)?(?:-wal|-shm|-journal)?$/.exec(entry) ?? [];
    return names.includes(name);
  });
  // First restore the log that a killed import had moved away from the database.
  const copies = new Set(drafts.flatMap((draft) => /^.*\.db\.[0-9]+\.tmp/.exec(draft) ?? []));
  for (const copy of copies) restoreLogs(copy, directory.database);
  for (const draft of drafts) rmSync(draft, { force: true });
}

/** Links are not followed, and what belongs to other users is not touched. Empty if the folder cannot be read. */
function ownIn(folder: string, kind: "isFile" | "isDirectory", isOurs: (name: string) => boolean): string[] {
  const names = readOrNull(() => readdirSync(folder)) ?? [];
  return names
    .filter(isOurs)
    .map((name) => join(folder, name))
    .filter((path) => {
      const stats = statsOfPlace(path);
      return stats?.[kind]() && !isForeign(stats);
    });
}

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
  } finally {
    release(); // Windows removes no file that is open
  }
  rmSync(path, { recursive: true, force: true });
}

/** Removes the temporary directories of killed processes. If it fails, the next process tries again. */
export function removeTemporaryLeftovers(place = tmpdir()): void {
  for (const path of ownIn(place, "isDirectory", (name) => name.startsWith(TEMPORARY_PREFIX))) {
    const lock = join(path, LOCK);
    try {
      // Its process was killed before it locked the folder, or is about to lock it, and then makes another folder.
      // rmdir removes it only if it is empty.
      if (!existsSync(lock)) rmdirSync(path);
      else removeFolder(path, acquireLock(lock));
    } catch {
      // A process holds the lock, or has removed the folder.
    }
  }
}
