import { UnusableDatabase } from "../../src/store/store.ts";
import { Failure } from "../terminal/failure.ts";

/** Hints for a shared database. Other problems have the same hint as in a data directory. */
const HINTS: Partial<Record<UnusableDatabase["problem"], string>> = {
  foreign: "make a new database, and name that with --database",
  older: "stop the servers that use it, and run momo migrate --database",
  newer: "update momo",
  unwritable: "give its user the rights to write, and to make tables in an empty database",
};

/** A failure of a database that several servers share, with a hint that fits. */
export function explainDatabase(error: unknown): unknown {
  if (!(error instanceof UnusableDatabase)) return error;
  const hint = HINTS[error.problem];
  return hint === undefined ? error : new Failure("unexpected", error.message, hint);
}
