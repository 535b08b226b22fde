import type { Database } from "bun:sqlite";

/**
 * One point in time for all reads of a turn of the event loop. To begin and end a read costs SQLite as much as the read itself, so
 * the requests of one turn share it. All of them arrived before the turn began, so each sees what was stored when it came.
 */
export interface Snapshot {
  /** @returns a number that changes when another connection has written, such as a command beside the server */
  enter(): number;
  /** Call it before a write, and before the database is closed. */
  end(): void;
}

export function createSnapshot(client: Database): Snapshot {
  const begin = client.query("BEGIN");
  const commit = client.query("COMMIT");
  const dataVersion = client.query<{ data_version: number }, []>("PRAGMA data_version");
  let version: number | null = null;

  function end(): void {
    if (version === null) return;
    version = null;
    commit.run();
  }

  return {
    enter() {
      if (version !== null) return version;
      begin.run();
      try {
        version = dataVersion.get()?.data_version ?? 0;
      } catch (error) {
        // If it stayed open, every later write would belong to it, and none would be committed.
        commit.run();
        throw error;
      }
      setImmediate(end);
      return version;
    },
    end,
  };
}
