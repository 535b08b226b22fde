import { SQLiteError } from "bun:sqlite";
import { UnusableDatabase } from "../store.ts";
import { causeAt } from "../wrong-path.ts";
import { attemptBeside } from "./attempt.ts";

/**
 * Explains an error of SQLite or of the system about a file in one line; returns other errors unchanged.
 * @param place its path, if `file` is only what it is called
 */
export function explain(error: unknown, file: string, place = file): unknown {
  if (error instanceof UnusableDatabase) return error;
  const cause = causeAt(place, error, () => attemptBeside(place));
  if (cause === null) return error;
  if (cause.name === "LOCKED")
    return new UnusableDatabase("locked", `${file} is locked by another program`, null, file);
  if (cause.name === "DAMAGED")
    return new UnusableDatabase("damaged", `${file} is damaged or not a database`, null, file);
  return new UnusableDatabase("unwritable", `${file} cannot be used: ${cause.reason}`, cause.remedy, file);
}

export const isOfSqlite = (error: unknown): boolean => error instanceof SQLiteError;

/** Whether a write failed because another process held the lock during the whole wait. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code ?? "");
}
