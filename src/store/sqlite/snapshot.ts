import type { Database } from "bun:sqlite";
import { onFirstUse } from "../../domain/on-first-use.ts";

/**
 * One point in time for all that a turn of the event loop reads. To begin to read and to end it costs SQLite as much as the
 * reading itself, so that the requests which one turn handles share it. Each sees at least what was there when it came, because
 * all of them had arrived before the turn began.
 */
export interface Snapshot {
  /** @returns a number that changes when another connection, a command beside the server, has written */
  enter(): number;
  /** Before anything is written, and before the database is closed. */
  end(): void;
}

export function createSnapshot(client: Database): Snapshot {
  const begin = onFirstUse(() => client.query("BEGIN"));
  const commit = onFirstUse(() => client.query("COMMIT"));
  const dataVersion = onFirstUse(() => client.query<{ data_version: number }, []>("PRAGMA data_version"));
  let version: number | null = null;

  function end(): void {
    if (version === null) return;
    version = null;
    commit().run();
  }

  return {
    enter() {
      if (version !== null) return version;
      begin().run();
      try {
        version = dataVersion().get()?.data_version ?? 0;
      } catch (error) {
        // Left open, it would take in every write to come, and none of them would ever be committed.
        commit().run();
        throw error;
      }
      setImmediate(end);
      return version;
    },
    end,
  };
}
