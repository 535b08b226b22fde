import type { Clock } from "../../domain/clock.ts";
import type { Random } from "../../domain/random.ts";
import type { Query, Sql } from "../query.ts";
import type { Rows, Store } from "../store.ts";
import type { Connection, Script } from "./connections.ts";

/** The options of the engine, and what it offers beyond {@link Store}. */

export interface PostgresOptions {
  /** `postgres://` or `postgresql://`, one host. */
  readonly url: string;
  /** Null if the URL has it, or if the engine needs none. No message shows it. */
  readonly password: string | null;
  /** How many connections this process opens at most, 2 or more. */
  readonly connections: number;
  /** How long a statement is tried before it is rejected. */
  readonly commitDeadlineMs: number;
  /** The name of this replica, which no other replica has. The shards of its totals start with this name. */
  readonly replica: string;
  /** Whether to refuse an engine that can lose an answered payment when it fails over. */
  readonly requireReplica: boolean;
  /**
   * `refuse`: the schema must exist and be this program's. `empty`: it is created in an empty database. `older`: an older one is
   * updated, too.
   */
  readonly migrate: "refuse" | "empty" | "older";
  /** Real time, for deadlines and pauses. */
  readonly clock: Clock;
  /** Milliseconds with fractions, from any beginning; it never goes back. */
  readonly stopwatch: () => number;
  readonly random: Random;
  /** Gets faults that no caller waits for, such as a clock that cannot be measured. */
  readonly reportFault?: (error: unknown) => void;
}

/** A clock that shows the engine's time: the same on all replicas, whatever their hosts' clocks show. */
export interface EngineClock extends Clock {
  /** How far the engine's clock is ahead of the host's. */
  readonly offsetMs: number;
  /** `unknown`: not measured for a while. `jumped`: it differs from this clock by more than a second. */
  readonly state: "known" | "unknown" | "jumped";
}

/**
 * Runs statements, and tries them again until the commit deadline where nothing of them is stored. `read`, `write` and `transaction`
 * can also run twice, if an answer was lost; the other two reject then.
 * @throws OutcomeUnknown from all that write: the work may be stored
 */
export interface EngineSql extends Sql {
  /**
   * Several statements that need no commit.
   * @param isLong whether one attempt may use the whole deadline
   */
  reading<T>(work: (connection: Connection) => Promise<T>, isLong?: boolean): Promise<T>;
  /** One statement that is never sent twice. */
  readonly writeOnce: Query;
  /** Several statements in one READ COMMITTED transaction. */
  transaction<T>(work: InTransaction<T>): Promise<T>;
  /** The same, but it is never committed twice. */
  transactionOnce<T>(work: InTransaction<T>): Promise<T>;
}

export type InTransaction<T> = (query: Query, script: Script) => Promise<T>;

export interface PostgresStore extends Store {
  readonly clock: EngineClock;
  readonly sql: EngineSql;
  /** The version of the schema. */
  readonly schema: number;
  /** All rows as they are at one point in time, a thousand at a time, in the order of `TABLES` and of their ids. */
  exportAll(): AsyncGenerator<Rows>;
  /**
   * Fills an empty database in one transaction, and counts the totals. Numbers continue after those of the rows.
   * @param rows in the order of `TABLES`; checked already
   * @throws UnusableDatabase `foreign` if there are merchants or transactions already
   */
  importAll(rows: AsyncIterable<Rows> | Iterable<Rows>): Promise<void>;
  /** Whether the totals equal a full count, at one point in time. */
  areTotalsTrue(): Promise<boolean>;
  /** Replaces the totals by a full count. Meanwhile no payment is stored. */
  recount(): Promise<void>;
  /** Resolves when all connections are closed. */
  closed(): Promise<void>;
}
