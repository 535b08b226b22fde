import type { Replica } from "../../sandbox/control/context.ts";
import type { SteeringTable } from "../../sandbox/shared-steering.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Random } from "../../src/domain/random.ts";
import { explain, isBusy, openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { DataDirectory } from "./data-directory.ts";

/** What keeps the payments of a server. */
export interface Engine {
  readonly store: Store;
  /** The time that payments go by. */
  readonly clock: Clock;
  /** What several servers on one database share; null for a server that is alone. */
  readonly shared: Shared | null;
  /** Runs work that no other server does at the same time. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** A failure of the start in words that name the database. */
  explain(error: unknown): unknown;
  close(): unknown;
}

export interface Shared {
  readonly replica: Replica;
  readonly steering: SteeringTable;
  /** A text that changes when another server has changed a payment. */
  readonly othersMark: () => Promise<string>;
}

/** A database that several servers share, as the command line names it. */
export interface DatabaseConfig {
  readonly url: string;
  readonly password: string | null;
  readonly connections: number;
  readonly commitDeadlineMs: number;
  readonly requireReplica: boolean;
  readonly replica: Replica;
}

export interface EngineOptions {
  readonly directory: DataDirectory;
  /** Null: the file in the data directory. */
  readonly database: DatabaseConfig | null;
  readonly realClock: Clock;
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly reportFault: (error: unknown) => void;
}

/** How long a write may wait for another program. Everything else waits with it, also a stop. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Opens the engine of a server: the one place that chooses it. The shared one is loaded only if it is asked for.
 * @throws UnusableDatabase
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  if (options.database) {
    const { openShared } = await import("./shared-engine.ts");
    return openShared(options.database, options);
  }
  const { directory, realClock, stopwatch } = options;
  const store = openStore(directory.database, { busyTimeoutMs: BUSY_TIMEOUT_MS, mustWrite: true, stopwatch });
  return {
    store,
    clock: realClock,
    shared: null,
    exclusively: (work) => work(),
    // The database was locked after it was opened, so the first key could not be stored.
    explain: (error) => (isBusy(error) ? explain(error, directory.database) : error),
    close: () => store.close(),
  };
}
