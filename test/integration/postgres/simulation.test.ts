import { expect, test } from "bun:test";
import type { PostgresStore } from "../../../src/store/postgres/postgres.ts";
import type { Store } from "../../../src/store/store.ts";
import { stopwatch } from "../../../src/system.ts";
import type { SimulatedEngine } from "../../simulation/engine.ts";
import { simulate } from "../../simulation/run.ts";
import { type DatabaseFaults, InjectedFault } from "../../simulation/unreliable-database.ts";
import {
  describePostgres,
  newDatabase,
  openEngine,
  runSql,
  sharedServer,
  type Version,
} from "../../support/postgres.ts";
import { until } from "../../support/waiting.ts";

/** A real server takes its own time, so a seed does not give the same run each time. */
const SEEDS = { "15": 1, "18": 3 };

describePostgres((version) => {
  test(`every answer is as the documentation predicts: seed ${SEEDS[version]}`, async () => {
    const { operations } = await simulate(SEEDS[version], { engine: await postgresEngine(version), steps: 100 });
    expect(operations).toBeGreaterThan(50);
  });
});

/** A real server. Statements that a killed process had already sent may still be written. */
async function postgresEngine(version: Version): Promise<SimulatedEngine> {
  const url = await newDatabase(await sharedServer(version));
  const alive = new Set<PostgresStore>();
  /** Stores cache keys for a second. This moves their stopwatch, so that a revoked key is refused at once. */
  let skippedMs = 0;
  let running = 0;

  const busy = async <T>(work: Promise<T>): Promise<T> => {
    running += 1;
    try {
      return await work;
    } finally {
      running -= 1;
    }
  };

  async function openQuietly(): Promise<PostgresStore> {
    await until(
      () =>
        runSql(
          url,
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'",
        ),
      (rows) => rows.length === 0,
    );
    const store = await openEngine(url, { stopwatch: () => stopwatch() + skippedMs });
    alive.add(store);
    return store;
  }

  function end(store: PostgresStore): void {
    alive.delete(store);
    store.close();
  }

  return {
    async open(faults) {
      const store = await openQuietly();
      return { store: makeFallible(store, faults, busy), release: () => end(store) };
    },
    crash() {
      for (const store of alive) end(store);
    },
    async beside(work) {
      const store = await openQuietly();
      await work(store);
      end(store);
      skippedMs += 1001;
    },
    get isBusy() {
      return running > 0;
    },
    async close() {
      for (const store of alive) end(store);
    },
  };
}

/** Lets calls that write fail, and counts the calls that wait for the server. */
function makeFallible(store: Store, faults: DatabaseFaults, busy: <T>(work: Promise<T>) => Promise<T>): Store {
  async function write<T>(work: () => Promise<T>): Promise<T> {
    const fault = faults.next();
    if (fault === "dies before") return faults.die();
    if (fault === "dies within") {
      void work().catch(() => {});
      return faults.die();
    }
    if (fault !== "none" && fault !== "dies after") {
      faults.failed();
      throw new InjectedFault("the server refuses the write");
    }
    const result = await busy(work());
    return fault === "dies after" ? faults.die() : result;
  }
  const around = <Calls extends object>(calls: Calls, writes: readonly (keyof Calls)[]): Calls =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => {
        if (typeof call !== "function") return [name, call];
        const isWrite = writes.includes(name as keyof Calls);
        return [name, (...given: unknown[]) => (isWrite ? write(() => call(...given)) : busy(call(...given)))];
      }),
    ) as Calls;
  const { transactions } = store;
  return {
    ...store,
    merchants: around(store.merchants, ["addMerchant", "addPaymentAccount", "addKey", "revokeKey", "setTariff"]),
    transactionList: around(store.transactionList, []),
    transactions: {
      ...around(transactions, ["insert", "record", "clear"]),
      resolveDue(nowMs, limit, decide) {
        let isDecided = false;
        const resolving = transactions.resolveDue(nowMs, limit, async (due) => {
          const outcomes = await decide(due);
          isDecided = outcomes.length > 0;
          return isDecided ? write(async () => outcomes) : outcomes;
        });
        return busy(resolving);
      },
    },
  };
}
