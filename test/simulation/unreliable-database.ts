import { Database } from "bun:sqlite";
import type { OpenDatabase } from "../../src/store/sqlite/database.ts";
import { type CommitFault, InjectedFault } from "./faults.ts";

export interface DatabaseFaults {
  /** What happens to the next commit. */
  next(): CommitFault;
  /** The simulation let a commit fail. */
  failed(): void;
  /** Ends the process at once, by an exception: the files stay as they are. */
  die(): never;
}

type Transaction = ReturnType<Database["transaction"]>;

/** More pages than any run writes. */
const ENOUGH_PAGES = 1_000_000;

/** Lets the write transactions of an open database fail; reads always work. */
export function makeUnreliable(database: OpenDatabase, file: string, faults: DatabaseFaults): OpenDatabase {
  const { client } = database;
  const begin = client.transaction.bind(client) as (work: (...args: never[]) => unknown) => Transaction;
  // A lock that another connection holds is refused at once: waiting would take real time.
  client.run("PRAGMA busy_timeout = 0");
  // A process that dies leaves all that it wrote, flushed or not: flushing would only cost time.
  client.run("PRAGMA synchronous = OFF");

  function commit(fault: CommitFault, work: (...args: never[]) => unknown, args: never[]): unknown {
    /** Runs the work, and then something else before the commit. */
    const within = (last: () => void) =>
      begin((...given: never[]) => {
        const result = work(...given);
        last();
        return result;
      }).immediate(...args);
    switch (fault) {
      case "none":
        return begin(work).immediate(...args);
      case "refused":
        faults.failed();
        throw new InjectedFault("the disk fails before the writes");
      case "undone":
        return within(() => {
          faults.failed();
          throw new InjectedFault("the disk fails before the commit");
        });
      case "full":
        return whileFull(client, () => begin(work).immediate(...args), faults.failed);
      case "busy":
        return whileHeld(file, () => begin(work).immediate(...args), faults.failed);
      case "dies before":
        return faults.die();
      case "dies within":
        return within(faults.die);
      case "dies after":
        begin(work).immediate(...args);
        return faults.die();
    }
  }

  Object.defineProperty(client, "transaction", {
    value: (work: (...args: never[]) => unknown) => ({
      deferred: begin(work).deferred,
      immediate: (...args: never[]) => commit(faults.next(), work, args),
    }),
  });
  return database;
}

/** A write that needs another page fails with SQLITE_FULL. */
function whileFull<T>(client: Database, run: () => T, failed: () => void): T {
  client.run("PRAGMA max_page_count = 1"); // SQLite makes this the pages that there are
  try {
    return run();
  } catch (error) {
    failed();
    throw error;
  } finally {
    client.run(`PRAGMA max_page_count = ${ENOUGH_PAGES}`);
  }
}

/** A write fails with SQLITE_BUSY. */
function whileHeld<T>(file: string, run: () => T, failed: () => void): T {
  const other = new Database(file);
  other.run("BEGIN IMMEDIATE");
  failed();
  try {
    return run();
  } finally {
    other.run("ROLLBACK");
    other.close();
  }
}
