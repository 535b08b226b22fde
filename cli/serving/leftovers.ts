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

/** What processes that were killed in the middle of their work have left behind. */

/** A copy that is not whole yet. */
export interface Draft {
  readonly path: string;
  /** Also what SQLite keeps beside it. */
  remove(): void;
}

/** In a locked folder of the data directory: where the draft of a copy is. */
const NOTE = "export-goes-to";

/**
 * The draft of a copy, in the folder where the copy goes. A note of it in the data directory tells the next process, in case this
 * one is killed. Only what killed processes noted before is removed here.
 * @throws Failure where the data directory cannot be written
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

/** Its name follows from the note's, so that a note can never lead to another file. */
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

/** Plain files of ours alone: no link is followed, and nothing of another user's is touched. */
function removeOwn(files: readonly string[]): void {
  for (const file of files.filter(isOwnFile)) rmSync(file, { force: true });
}

function isOwnFile(file: string): boolean {
  const stats = statsOfPlace(file);
  return Boolean(stats?.isFile() && !isForeign(stats));
}

/** The drafts of files of a data directory, by an import or a server: `momo.db.123.tmp`, and what belongs to them. */
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

/** Removes what is left in a data directory. Only for whoever has its lock: nobody else writes drafts then. */
export function removeLeftoversIn(directory: DataDirectory): void {
  const drafts = draftsIn(directory);
  // A log that a killed import had put aside goes back to its database first.
  const copies = new Set(drafts.flatMap((draft) => /^.*\.db\.[0-9]+\.tmp/.exec(draft) ?? []));
  for (const copy of copies) restoreLogs(copy, directory.database);
  removeOwn(drafts);
  removeNotedDrafts(directory.path);
}

/** Removes what ephemeral servers and the like have left. */
export const removeTemporaryLeftovers = (): void => removeFolders(tmpdir());

/** What is left in a data directory and in the place of temporary folders. Nothing is changed. */
export function findLeftovers(directory: DataDirectory): string[] {
  const notes = findLeftFolders(directory.path);
  return [
    ...(isHeld(directory.lock) ? [] : draftsIn(directory)),
    ...notes.flatMap((note) => notedDraft(note).filter(isOwnFile)),
    ...notes,
    ...findLeftFolders(tmpdir()),
  ];
}
