import type { Replica } from "../../sandbox/control/context.ts";
import type { Steering } from "../../sandbox/steering.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Random } from "../../src/domain/random.ts";
import type { Store } from "../../src/store/store.ts";
import type { DataDirectory } from "./data-directory.ts";

/** What keeps the payments of a server. */
export interface Engine {
  readonly store: Store;
  /** The clock for payments. */
  readonly clock: Clock;
  readonly steering: Steering;
  /** This server, if several share its database; else null. */
  readonly replica: Replica | null;
  /** Runs work that no other server does at the same time. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** A failure of the start in words that name the database. */
  explain(error: unknown): unknown;
  close(): unknown;
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
