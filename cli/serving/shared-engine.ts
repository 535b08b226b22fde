import { SharedSteering } from "../../sandbox/shared-steering.ts";
import { token } from "../../src/domain/random.ts";
import { createSteeringTable, openPostgres } from "../../src/store/postgres/postgres.ts";
import type { DatabaseConfig, Engine, EngineOptions } from "./engine.ts";
import { explainDatabase } from "./explain-database.ts";

type Outside = Pick<EngineOptions, "realClock" | "stopwatch" | "random" | "reportFault">;

/**
 * Opens the database of several servers, and makes its schema if it is empty.
 * @throws UnusableDatabase
 */
export async function openShared(config: DatabaseConfig, outside: Outside): Promise<Engine> {
  const { replica, ...options } = config;
  const { realClock, ...rest } = outside;
  const settings = { ...options, ...rest, replica: replica.name, migrate: "empty", clock: realClock } as const;
  const store = await openPostgres(settings).catch((error: unknown) => {
    throw explainDatabase(error);
  });
  const { clock, sql } = store;
  const table = createSteeringTable(sql, clock, replica.name, token(outside.random, 6));
  return {
    store,
    clock,
    steering: new SharedSteering({ table, realClock, stopwatch: outside.stopwatch }),
    replica,
    exclusively: (work) => table.exclusively(work),
    explain: (error) => error,
    async close() {
      store.close();
      await store.closed();
    },
  };
}
