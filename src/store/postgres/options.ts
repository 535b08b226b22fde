import type { Clock } from "../../domain/clock.ts";
import type { Random } from "../../domain/random.ts";
import type { Store } from "../store.ts";
import type { TableRows } from "../transfer.ts";
import type { EngineClock } from "./engine-clock.ts";
import type { EngineSql } from "./sql.ts";

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

export interface PostgresStore extends Store {
  readonly clock: EngineClock;
  readonly sql: EngineSql;
  /** The version of the schema. */
  readonly schema: number;
  /** All rows as they are at one point in time, a thousand at a time, in the order of `TABLES` and of their ids. */
  exportAll(): AsyncGenerator<TableRows>;
  /**
   * Fills an empty database in one transaction, and counts the totals. Numbers continue after those of the rows.
   * @param rows in the order of `TABLES`; checked already
   * @throws UnusableDatabase `foreign` if there are merchants or transactions already
   */
  importAll(rows: AsyncIterable<TableRows> | Iterable<TableRows>): Promise<void>;
  /** Whether the totals equal a full count, at one point in time. */
  areTotalsTrue(): Promise<boolean>;
  /** Replaces the totals by a full count. Meanwhile no payment is stored. */
  recount(): Promise<void>;
  /** Resolves when all connections are closed. */
  closed(): Promise<void>;
}
