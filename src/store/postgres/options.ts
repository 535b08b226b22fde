import type { Clock } from "../../domain/clock.ts";
import type { Random } from "../../domain/random.ts";
import type { Store } from "../store.ts";

/** The options of the engine, and what it offers beyond {@link Store}. */

export interface PostgresOptions {
  /** `postgres://` or `postgresql://`, one host. */
  readonly url: string;
  /** Null if the URL has it, or if the engine needs none. No message shows it. */
  readonly password: string | null;
  /** How many connections this process opens at most, 2 or more. */
  readonly connections: number;
  /** How long a write is tried before it is rejected; its outcome can then be unknown. */
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

export interface PostgresState {
  /** The version of the schema. */
  readonly schema: number;
  readonly clock: EngineClock["state"];
  readonly offsetMs: number;
  /** Whether an answered payment outlives the loss of the server's host. */
  readonly isReplicated: boolean;
  /** What a commit waits for, in words: `standby (ANY 1 (a, b))`, `disk`, `nothing: fsync is off`. */
  readonly durability: string;
  /** Whether the last server that answered was a standby, which takes no writes. */
  readonly isStandby: boolean;
  readonly connections: { readonly most: number; readonly busy: number };
  /** Writes that wait for their commit. */
  readonly waiting: number;
  /** Why the last attempt to reach the engine failed, in one line without a password; null if it did not. */
  readonly problem: string | null;
}

/** Counters since the start of the process, and measures such as `dueLagMs`. */
export interface PostgresMetrics {
  /** Commits of payments and outcomes, and the rows that they wrote. */
  readonly commits: number;
  readonly rows: number;
  /** How long the statements of these commits took. */
  readonly commitSeconds: Histogram;
  /** Retried statements by SQLSTATE; `connection` for lost connections, `deadline` for those closed by us. */
  readonly retriesBySqlstate: ReadonlyMap<string, number>;
  /** Writes whose first attempt ended without an answer, so that it was unknown whether it was committed. */
  readonly unknownOutcomes: number;
  /** Writes that were rejected because this was still unknown at their deadline. */
  readonly leftUnknown: number;
  /** Payments that this replica claimed, and those of them that it resolved. */
  readonly claimed: number;
  readonly resolved: number;
  /** How late the most overdue payment of the last claim was, in milliseconds. */
  readonly dueLagMs: number;
}

export interface Histogram {
  readonly sum: number;
  readonly count: number;
  /** By upper bound in seconds, cumulative; without the last, which is `count`. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

/** Runs SQL with its parameters. int8 columns arrive as strings: cast them to float8, or use `Number`. */
export type Query = <Row>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** For tables that only replicas know, such as `steering`. All are retried until the commit deadline. */
export interface EngineSql {
  /** One statement that writes nothing. */
  readonly read: Query;
  /** One statement that may be sent twice, if the first attempt ends without an answer. */
  readonly write: Query;
  /** Several statements in one READ COMMITTED transaction. `run` may run twice, for the same reason. */
  transaction<T>(run: (query: Query) => Promise<T>): Promise<T>;
}

/** A row of a table, by its columns; both engines have the same. Binary values are hexadecimal. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/** Each table comes after the tables that it refers to. */
export const TABLES = ["merchants", "payment_accounts", "api_keys", "numbering", "transactions"] as const;
export type TableName = (typeof TABLES)[number];

export interface TableRows {
  readonly table: TableName;
  readonly rows: readonly TableRow[];
}

export interface PostgresStore extends Store {
  readonly clock: EngineClock;
  readonly metrics: PostgresMetrics;
  readonly sql: EngineSql;
  state(): PostgresState;
  /** All rows as they are at one point in time, a thousand at a time, in the order of {@link TABLES} and of their ids. */
  exportAll(): AsyncGenerator<TableRows>;
  /**
   * Fills an empty database in one transaction, and counts the totals. Numbers continue after those of the rows.
   * @param rows in the order of {@link TABLES}; checked already
   * @throws UnusableDatabase `foreign` if there are merchants or transactions already
   */
  importAll(rows: AsyncIterable<TableRows>): Promise<void>;
  /** Resolves when all connections are closed. */
  closed(): Promise<void>;
}
