import type { Replica } from "../../sandbox/control/context.ts";
import { type Steering, steeredAlone } from "../../sandbox/steering.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { hash32, type Random, token } from "../../src/domain/random.ts";
import type { PostgresOptions, PostgresStore } from "../../src/store/postgres/postgres.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { durations, stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import type { Environment } from "../environment.ts";
import { type DataDirectory, watchFolder } from "../files/data-directory.ts";
import type { Io } from "../io.ts";
import { withHintFor } from "../terminal/failure.ts";

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
  close(): Promise<void>;
}

export type NamedDatabase = Pick<PostgresOptions, "url" | "password">;

/** A database that several servers share, as the command line names it. */
export interface DatabaseConfig
  extends NamedDatabase,
    Pick<PostgresOptions, "connections" | "commitDeadlineMs" | "requireReplica"> {
  readonly replica: Replica;
}

/** What a server needs from outside, so that tests can choose it. */
export interface World {
  /** For durations, such as time-outs and retries: no change of the host's clock moves it. */
  readonly realClock: Clock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly reportFault: (error: unknown) => void;
  /** Called with a line for the user about what does not stop the server. */
  readonly warn: (line: string) => void;
  readonly environment: Environment;
}

/** The same of this machine, as {@link thisMachine} gives it. */
export interface Machine extends World {
  /** The time of this machine. */
  readonly hostClock: Clock;
  /** How a refusal names an option, such as `--clock`. */
  readonly optionName: (flag: string) => string;
}

export interface EngineOptions extends Machine {
  readonly directory: DataDirectory;
  /** A database that several servers share; absent or null: the file in the data directory. */
  readonly database?: DatabaseConfig | null;
  /** Whether the data directory is removed when the server stops. */
  readonly isTemporary?: boolean;
  /** The text that the key of request ids comes from; null: it is random. */
  readonly seed?: string | null;
}

/** The clocks and the randomness of this machine, and what a server uses of its process. */
export const thisMachine = ({ environment, optionName, reportFault, warn, clock }: Io): Machine => ({
  realClock: durations,
  hostClock: clock,
  stopwatch,
  random: systemRandom,
  environment,
  optionName,
  reportFault,
  warn,
});

/** How long a write may wait for another program. Meanwhile all other work waits, even a stop. */
const BUSY_TIMEOUT_MS = 1000;

/**
 * Chooses and opens the engine of a server. An empty shared database gets its schema.
 * @throws UnusableDatabase
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { directory, database, hostClock } = options;
  if (database) return openShared(database, options);
  const store = openStore(directory.database, {
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    mustWrite: true,
    isTemporary: options.isTemporary === true,
    stopwatch: options.stopwatch,
    ...(options.seed != null && { requestIdKey: hash32(`request ids:${options.seed}`) }),
  });
  return {
    store,
    clock: hostClock,
    steering: steeredAlone,
    replica: null,
    exclusively: (work) => work(),
    close: async () => store.close(),
  };
}

async function openShared({ replica, ...database }: DatabaseConfig, outside: EngineOptions): Promise<Engine> {
  const { SharedSteering } = await import("../../sandbox/shared-steering.ts");
  const opened = await open({
    ...database,
    replica: replica.name,
    migrate: "empty",
    clock: outside.realClock,
    stopwatch: outside.stopwatch,
    random: outside.random,
    reportFault: outside.reportFault,
  });
  const vitals = { ...opened.store.vitals, findMissing: watchFolder(outside.directory.path) };
  const store = { ...opened.store, vitals };
  const table = opened.createSteeringTable(store.sql, store.clock, replica.name, token(outside.random, 6));
  return {
    store,
    clock: store.clock,
    steering: new SharedSteering({ table, realClock: outside.realClock, stopwatch: outside.stopwatch }),
    replica,
    exclusively: (work) => table.exclusively(work),
    close: () => close(store),
  };
}

/**
 * Opens a shared database for a command that does one piece of work.
 * @param migrate as {@link PostgresStore} is opened
 * @throws UnusableDatabase
 */
export async function withDatabase<T>(
  database: NamedDatabase,
  migrate: PostgresOptions["migrate"],
  work: (store: PostgresStore) => Promise<T>,
): Promise<T> {
  const { store } = await open({
    ...database,
    migrate,
    connections: 2,
    commitDeadlineMs: 24 * 60 * 60 * 1000, // all rows of a large database are one write
    replica: "command",
    requireReplica: false,
    clock: systemClock,
    stopwatch,
    random: systemRandom,
  });
  try {
    return await work(store);
  } catch (error) {
    throw withHintFor("shared", error);
  } finally {
    await close(store);
  }
}

/** The code for such a database, and its driver, are loaded only if one is used: 7 of 51 ms until momo serve is ready. */
async function open(options: PostgresOptions) {
  const { openPostgres, createSteeringTable } = await import("../../src/store/postgres/postgres.ts");
  try {
    return { store: await openPostgres(options), createSteeringTable };
  } catch (error) {
    throw withHintFor("shared", error);
  }
}

async function close(store: PostgresStore): Promise<void> {
  store.close();
  await store.closed();
}
