import { Database } from "bun:sqlite";
import type { OpenDatabase } from "../../src/store/sqlite/database.ts";

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

/** What goes wrong, and how often: for each place where something can fail, the weights of what happens there. */
export interface FaultRates {
  readonly push: Weights<PushFault>;
  readonly check: Weights<CheckFault>;
  readonly commit: Weights<CommitFault>;
}

type Weights<Fault extends string> = Readonly<Partial<Record<Fault, number>>>;

/** `breaks` throws, `stalls` never answers, `late` answers after some time. */
export type PushFault = "none" | "refuses" | "breaks" | "stalls" | "late" | "dies";

/** `puts off` asks for a later check, `differs` reports another outcome than the network's, `lies` an impossible one. */
export type CheckFault =
  | ("none" | "breaks" | "stalls" | "late" | "puts off" | "puts off late")
  | ("differs" | "differs late" | "lies" | "dies");

/** `undone` fails after the writes; `full` and `busy` are SQLite's own; the process dies around the commit or in it. */
export type CommitFault =
  | ("none" | "refused" | "undone" | "full" | "busy")
  | ("dies before" | "dies within" | "dies after");

const NONE = { none: 1 } as const;
const PUSH = { none: 6, refuses: 1, breaks: 1, stalls: 0.5, late: 1.5 } as const;
const CHECK = {
  ...{ none: 4, breaks: 1, stalls: 1, late: 4, "puts off": 1, "puts off late": 1 },
  ...{ differs: 1, "differs late": 1, lies: 1 },
} as const;
const COMMIT = { none: 5, refused: 1, undone: 1, full: 1, busy: 1 } as const;

/** Sets of failures: each alone finds other mistakes than all together. */
export const FAULT_SETS = {
  none: { push: NONE, check: NONE, commit: NONE },
  network: { push: PUSH, check: CHECK, commit: NONE },
  disk: { push: NONE, check: NONE, commit: COMMIT },
  deaths: {
    push: { none: 8, dies: 1 },
    check: { none: 8, dies: 1 },
    commit: { none: 8, "dies before": 1, "dies within": 1, "dies after": 1 },
  },
  all: {
    push: { ...PUSH, dies: 0.3 },
    check: { ...CHECK, dies: 0.3 },
    commit: { ...COMMIT, "dies before": 0.2, "dies within": 0.2, "dies after": 0.2 },
  },
} as const satisfies Record<string, FaultRates>;

export type FaultSet = keyof typeof FAULT_SETS;

/** An error that the simulation causes, so that it differs from one of the program. */
export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}
