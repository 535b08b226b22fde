import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { acquireLock, restoreLogs } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, filesOf } from "./data-directory.ts";
import { cannotWrite, isForeign, statsOfPlace } from "./files.ts";
import { readServer, type ServerRecord } from "./records.ts";
import { namesIn } from "./temporary-directory.ts";

/**
 * Locks a data directory for this process, because a second server would resolve the same prompts, and an import would replace the
 * database of a running server. Leftovers of a killed process are removed.
 * @returns a function that releases the lock
 * @throws Failure that names the process that holds it
 */
export function lockDirectory(directory: DataDirectory): () => void {
  let release: () => void;
  try {
    release = acquireLock(directory.lock);
  } catch (error) {
    if (!(error instanceof UnusableDatabase && error.problem === "locked")) throw error;
    const holder = serverOrNull(directory);
    throw new Failure(
      "unexpected",
      `${directory.path} is in use by another momo${holder ? ` (process ${holder.pid}, ${holder.base_url})` : ""}`,
      "stop that one, or choose another folder with --data",
    );
  }
  try {
    removeLeftoversIn(directory);
    return release;
  } catch (error) {
    release();
    throw cannotWrite(directory.path, error);
  }
}

/** Which process has the directory, if its record tells. */
function serverOrNull(directory: DataDirectory): ServerRecord | null {
  try {
    return readServer(directory);
  } catch {
    return null;
  }
}

/** The drafts that a killed import or server left in a data directory, such as `momo.db.123.tmp`, and SQLite's files beside them. */
function draftsIn(directory: DataDirectory): string[] {
  const names = filesOf(directory).map((file) => basename(file));
  const isDraft = (entry: string) => {
    const [, name = ""] = /^(.+)\.[0-9]+\.tmp(?:-old)?(?:-wal|-shm|-journal)?$/.exec(entry) ?? [];
    return names.includes(name);
  };
  return namesIn(directory.path)
    .filter(isDraft)
    .map((entry) => join(directory.path, entry))
    .filter(isOwnFile);
}

/** Only plain files of this user: links are not followed, and the files of other users are not touched. */
function isOwnFile(file: string): boolean {
  const stats = statsOfPlace(file);
  return Boolean(stats?.isFile() && !isForeign(stats));
}

/** Removes leftovers from a data directory. The caller must hold its lock, so that no other process writes drafts. */
export function removeLeftoversIn(directory: DataDirectory): void {
  const drafts = draftsIn(directory);
  // First restore the log that a killed import had moved away from the database.
  const copies = new Set(drafts.flatMap((draft) => /^.*\.db\.[0-9]+\.tmp/.exec(draft) ?? []));
  for (const copy of copies) restoreLogs(copy, directory.database);
  for (const draft of drafts) rmSync(draft, { force: true });
}
