import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { restoreLogs } from "../../src/store/sqlite/sqlite.ts";
import { type DataDirectory, filesOf } from "./data-directory.ts";
import { isForeign, statsOfPlace } from "./ownership.ts";
import { namesIn } from "./temporary-directory.ts";

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
