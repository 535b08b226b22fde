import { token } from "../../src/domain/random.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import { createSteeringTable, createVitals, markOfOthers, openPostgres } from "../../src/store/postgres/postgres.ts";
import { sleep } from "../../src/system.ts";
import type { DatabaseConfig, Engine, EngineOptions } from "./engine.ts";

type Outside = Pick<EngineOptions, "realClock" | "stopwatch" | "random" | "reportFault">;

/**
 * Opens the database of several servers, and makes its schema if it is empty.
 * @throws UnusableDatabase
 */
export async function openShared(config: DatabaseConfig, outside: Outside): Promise<Engine> {
  const { replica, ...options } = config;
  const { realClock, ...rest } = outside;
  const store = await openPostgres({ ...options, ...rest, replica: replica.name, migrate: "empty", clock: realClock });
  const { clock, sql, merchants, transactions, transactionList, metrics } = store;
  const steering = createSteeringTable(sql, clock, `${replica.name}/${token(outside.random, 6)}`);
  const vitals = createVitals({
    ...{ metrics, sql, stopwatch: outside.stopwatch, sleep },
    state: () => store.state(),
    probe: () => steering.probe(),
  });
  return {
    store: { merchants, transactions, transactionList, vitals, isShared: true, close: () => store.close() },
    clock,
    shared: {
      replica,
      steering,
      othersMark: () => markOfOthers(sql, dayOf(clock.nowMs()), replica.name),
    },
    exclusively: (work) => steering.exclusively(work),
    explain: (error) => error,
    async close() {
      store.close();
      await store.closed();
    },
  };
}
