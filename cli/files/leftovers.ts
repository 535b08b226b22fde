import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { isOwnFile, restoreLogs, withCompanions } from "../../src/store/sqlite/sqlite.ts";
import type { DataDirectory } from "./data-directory.ts";
import { isForeign, statsOfPlace } from "./files.ts";
import { readRecord } from "./server-record.ts";

/** What a killed process left. A file is removed if both its name and its content are those of a draft of momo's. */

/** Drafts of records, of a new database, and of the two copies of an import. */
const DRAFT = /^(?:(?:credentials|server|clock)\.json\.[0-9]+\.tmp|momo\.db(?:\.[0-9]+(?:-copy)?\.tmp)+)$/;

export const isDraftName = (name: string): boolean => DRAFT.test(name.replace(/-(?:wal|shm|journal)$/, ""));

/** The log of a damaged database, which an import moves away before it replaces that database. */
const ASIDE = /^(momo\.db\.[0-9]+\.tmp)-old-(?:wal|journal)$/;

/**
 * Removes the drafts that a killed import or server left in a data directory, such as `momo.db.123.tmp`, and SQLite's files beside
 * them. The caller must hold its lock, so that no other process writes drafts.
 */
export function removeDrafts({ path, database }: DataDirectory): void {
  // First, because a log is put back if its draft is still there.
  for (const log of ownIn(path, "isFile", (name) => ASIDE.test(name))) {
    const draft = log.replace(/-old-\w+$/, "");
    if (isOwn(log) && (!existsSync(draft) || isOwnDraft(draft))) restoreLogs(draft, database);
  }
  for (const draft of ownIn(path, "isFile", (name) => DRAFT.test(name))) {
    if (!isOwnDraft(draft)) continue;
    const files = isRecord(draft)
      ? [draft]
      : withCompanions(draft).filter((file) => statsOfPlace(file)?.isFile() && isOwn(file));
    for (const file of files.reverse()) rmSync(file, { force: true });
  }
}

/** What cannot be read is not known as ours. */
const isOwn = (file: string): boolean => readOrNull(() => isOwnFile(file)) ?? false;

const isRecord = (draft: string): boolean => basename(draft).includes(".json.");

/** An empty draft stays: it may be of anybody, and does no harm. */
function isOwnDraft(file: string): boolean {
  if (isRecord(file)) return readOrNull(() => readRecord(file)) !== null;
  return statsOfPlace(file)?.size !== 0 && isOwn(file);
}

/** Links are not followed, and what belongs to other users is not touched. Empty if the folder cannot be read. */
export function ownIn(folder: string, kind: "isFile" | "isDirectory", isOurs: (name: string) => boolean): string[] {
  const names = readOrNull(() => readdirSync(folder)) ?? [];
  return names
    .filter(isOurs)
    .map((name) => join(folder, name))
    .filter((path) => {
      const stats = statsOfPlace(path);
      return stats?.[kind]() && !isForeign(stats);
    });
}
