import { SharedSteering } from "../../sandbox/shared-steering.ts";
import { token } from "../../src/domain/random.ts";
import type { PostgresOptions, PostgresStore } from "../../src/store/postgres/postgres.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import { Failure } from "../terminal/failure.ts";
import type { DatabaseConfig, Engine, EngineOptions } from "./engine.ts";

/** Connects the engine of a database that several servers share. It is loaded only when a server or a command uses such a database. */

export type NamedDatabase = Pick<DatabaseConfig, "url" | "password">;

/**
 * Opens it for a server, and makes its schema if it is empty.
 * @throws UnusableDatabase
 */
export async function openShared(
  { replica, ...named }: DatabaseConfig,
  outside: Pick<EngineOptions, "realClock" | "stopwatch" | "random" | "reportFault">,
): Promise<Engine> {
  const { realClock, ...rest } = outside;
  const { store, createSteeringTable } = await open({
    ...{ ...named, ...rest, clock: realClock },
    replica: replica.name,
    migrate: "empty",
  });
  const table = createSteeringTable(store.sql, store.clock, replica.name, token(outside.random, 6));
  return {
    store,
    clock: store.clock,
    steering: new SharedSteering({ table, realClock, stopwatch: outside.stopwatch }),
    replica,
    exclusively: (work) => table.exclusively(work),
    explain: (error) => error,
    close: () => close(store),
  };
}

/**
 * Opens it for a command that does one piece of work.
 * @param migrate as {@link PostgresStore} is opened
 * @throws UnusableDatabase
 */
export async function withDatabase<T>(
  { url, password }: NamedDatabase,
  migrate: PostgresOptions["migrate"],
  work: (store: PostgresStore) => Promise<T>,
): Promise<T> {
  const { store } = await open({
    ...{ url, password, migrate, stopwatch, clock: systemClock, random: systemRandom },
    connections: 2,
    commitDeadlineMs: 24 * 60 * 60 * 1000, // all rows of a large database are one write
    replica: "command",
    requireReplica: false,
  });
  try {
    return await work(store);
  } catch (error) {
    throw explainDatabase(error);
  } finally {
    await close(store);
  }
}

async function open(options: PostgresOptions) {
  const { openPostgres, createSteeringTable } = await import("../../src/store/postgres/postgres.ts");
  try {
    return { store: await openPostgres(options), createSteeringTable };
  } catch (error) {
    throw explainDatabase(error);
  }
}

async function close(store: PostgresStore): Promise<void> {
  store.close();
  await store.closed();
}

/** Hints for a shared database. Other problems have the same hint as in a data directory. */
const HINTS: Partial<Record<UnusableDatabase["problem"], string>> = {
  foreign: "make a new database, and name that with --database",
  older: "stop the servers that use it, and run momo migrate --database",
  newer: "update momo",
  unwritable: "give its user the rights to write, and to make tables in an empty database",
};

/** A failure of a database that several servers share, with a hint that fits. */
function explainDatabase(error: unknown): unknown {
  if (!(error instanceof UnusableDatabase)) return error;
  const hint = HINTS[error.problem];
  return hint === undefined ? error : new Failure("unexpected", error.message, hint);
}
