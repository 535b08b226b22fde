import { acquireLock } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { Failure } from "../terminal/failure.ts";
import type { DataDirectory } from "./data-directory.ts";
import { removeLeftoversIn } from "./leftovers.ts";
import { readServer, type ServerRecord } from "./records.ts";
import { cannotWrite } from "./small-files.ts";

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
