import { closeSync, fsyncSync, lstatSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Files beside another one, for its content until that is complete: `momo.db.PID.tmp`. */

/** The files that SQLite keeps beside a database while it is open, or after its process died. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

/** Those of them that may hold payments. */
export const LOGS = ["-wal", "-journal"];

/** A database file, and the files that SQLite keeps beside it. */
export const withCompanions = (file: string): string[] => [file, ...COMPANIONS.map((companion) => file + companion)];

/** Where an import moves a log of a damaged database, until its draft is in the place of that. */
export const aside = (draft: string, log: string): string => `${draft}-old${log}`;

/**
 * The path of a new draft. No file has this name, nor one that belongs to a draft, so nothing of another program is replaced.
 * @param kind distinguishes the drafts of one process
 */
export function draftBeside(file: string, kind = ""): string {
  for (let number = process.pid; ; number += 1) {
    const draft = `${file}.${number}${kind}.tmp`;
    const all = [...withCompanions(draft), ...LOGS.map((log) => aside(draft, log))];
    if (all.every((path) => !lstatSync(path, { throwIfNoEntry: false }))) return draft;
  }
}

/** Writes a private draft completely, or not at all. It survives a loss of power. */
export function writeDraft(file: string, content: string | Uint8Array): string {
  const draft = draftBeside(file);
  const descriptor = openSync(draft, "wx", 0o600); // exclusive: it never follows a link of another user
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return draft;
}

/** Flushes a file, or the names in a folder, so that they survive a loss of power. Windows flushes no folder. */
export function flushToDisk(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && process.platform === "win32") return;
  const descriptor = openSync(path, isFolder ? "r" : "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
