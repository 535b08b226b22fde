import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { isHeld, restoreLogs, withCompanions } from "../../src/store/sqlite/sqlite.ts";
import { type DataDirectory, filesOf } from "./data-directory.ts";
import { isForeign, statsOfPlace } from "./ownership.ts";
import { cannotWrite, readText } from "./small-files.ts";
import {
  findLeftFolders,
  makeLockedFolder,
  namesIn,
  removeLeftovers as removeFolders,
  removeLockedFolder,
} from "./temporary-directory.ts";

/** The files of processes that were killed while they worked. */

/** A copy that is not complete yet. */
export interface Draft {
  readonly path: string;
  /** Also the files that SQLite keeps beside it. */
  remove(): void;
}

/** In a locked folder of the data directory: where the draft of a copy is. */
const NOTE = "export-goes-to";

/**
 * The draft of a copy, in the folder of the copy. A note in the data directory names it for the next process, in case this one is
 * killed. Also removes the drafts that killed processes have noted.
 * @throws Failure if the data directory cannot be written
 */
export function planDraft({ path: data }: DataDirectory, folder: string): Draft {
  removeNotedDrafts(data);
  try {
    const note = makeLockedFolder(data);
    writeFileSync(join(note, NOTE), folder, { mode: 0o600, flag: "wx" });
    const path = draftIn(folder, note);
    return {
      path,
      remove() {
        removeOwn(withCompanions(path));
        removeLockedFolder(note);
      },
    };
  } catch (error) {
    throw cannotWrite(data, error);
  }
}

/** Its name is made from the note's name, so that a note never leads to another file. */
const draftIn = (folder: string, note: string): string =>
  join(folder, `momo-export-${basename(note).split("-").at(-1)}.tmp`);

function notedDraft(note: string): string[] {
  try {
    const folder = statsOfPlace(join(note, NOTE))?.isFile() ? readText(join(note, NOTE)) : "";
    return isAbsolute(folder) ? withCompanions(draftIn(folder, note)) : [];
  } catch {
    return [];
  }
}

function removeNotedDrafts(data: string): void {
  removeFolders(data, (note) => removeOwn(notedDraft(note)));
}

/** Only plain files of this user: links are not followed, and the files of other users are not touched. */
function removeOwn(files: readonly string[]): void {
  for (const file of files.filter(isOwnFile)) rmSync(file, { force: true });
}

function isOwnFile(file: string): boolean {
  const stats = statsOfPlace(file);
  return Boolean(stats?.isFile() && !isForeign(stats));
}

/** The drafts that an import or a server wrote in a data directory, such as `momo.db.123.tmp`, and SQLite's files beside them. */
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

/** Removes leftovers from a data directory. The caller must hold its lock, so that no other process writes drafts. */
export function removeLeftoversIn(directory: DataDirectory): void {
  const drafts = draftsIn(directory);
  // First restore the log that a killed import had moved away from the database.
  const copies = new Set(drafts.flatMap((draft) => /^.*\.db\.[0-9]+\.tmp/.exec(draft) ?? []));
  for (const copy of copies) restoreLogs(copy, directory.database);
  removeOwn(drafts);
  removeNotedDrafts(directory.path);
}

/** Removes the leftovers of ephemeral servers, and of other runs with a temporary folder. */
export const removeTemporaryLeftovers = (): void => removeFolders(tmpdir());

/** Lists the leftovers in a data directory and among the temporary folders. It changes nothing. */
export function findLeftovers(directory: DataDirectory): string[] {
  const notes = findLeftFolders(directory.path);
  return [
    ...(isHeld(directory.lock) ? [] : draftsIn(directory)),
    ...notes.flatMap((note) => notedDraft(note).filter(isOwnFile)),
    ...notes,
    ...findLeftFolders(tmpdir()),
  ];
}
