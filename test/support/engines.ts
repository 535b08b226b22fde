import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseConfig } from "../../cli/serving/engine.ts";
import type { PostgresStore } from "../../src/store/postgres/postgres.ts";
import { areTotalsTrue as areShardsTrue } from "../../src/store/postgres/totals.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { areTotalsTrue } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { FAST_FOLDER, forAllTests, forEachTest } from "./cleanup.ts";
import { describeWith, type Needed } from "./needs.ts";
import { newDatabase, openEngine, runSql, sharedServer, VERSIONS } from "./postgres.ts";
import { addMerchants } from "./shop.ts";

/** A database of an engine, with nothing in it. */
export interface Place {
  /** The file of SQLite; empty for another engine. */
  readonly file: string;
  /** Opens it; several times, as several processes would. */
  open(): Promise<Store>;
  /** Whether the totals equal a full count. */
  areTotalsTrue(): Promise<boolean>;
  /** Closes what is open. */
  leave(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  readonly needs: readonly Needed[];
  /** How much longer a call takes than with SQLite, about: tests that draw many cases draw fewer. */
  readonly cost: number;
  newPlace(): Promise<Place>;
  /** A new database for a whole server; null: the file in its data directory. */
  newDatabase(): Promise<DatabaseConfig | null>;
}

export const sqlite: Engine = {
  name: "SQLite",
  needs: [],
  cost: 1,
  newDatabase: async () => null,
  async newPlace() {
    const folder = mkdtempSync(join(FAST_FOLDER, "momo-test-"));
    const file = join(folder, "momo.db");
    const open = new Set<Store>();
    return {
      file,
      async open() {
        const store = openStore(file);
        open.add(store);
        return store;
      },
      async areTotalsTrue() {
        const raw = new Database(file, { readonly: true });
        const areTrue = areTotalsTrue(raw);
        raw.close();
        return areTrue;
      },
      async leave() {
        for (const store of open) store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** Removes everything that a test may have left in a database: that is faster than a new database for the next test. */
const EMPTY = `DELETE FROM transactions; DELETE FROM day_totals; DELETE FROM deliveries; DELETE FROM api_keys; DELETE FROM payment_accounts;
  DELETE FROM merchants; DELETE FROM replicas; UPDATE steering SET version = 0, document = '{}'; UPDATE numbering SET last_forgotten = 0;
  SELECT setval('transaction_numbers', 1, false), setval('merchants_id_seq', 1, false),
    setval('payment_accounts_id_seq', 1, false), setval('api_keys_id_seq', 1, false)`;

export const postgres: readonly Engine[] = VERSIONS.map((version) => {
  const idle: string[] = [];
  return {
    name: `PostgreSQL ${version}`,
    needs: [`PostgreSQL ${version}`],
    cost: 8,
    newDatabase: async () => ({
      url: await newDatabase(await sharedServer(version)),
      ...{ password: null, connections: 6, commitDeadlineMs: 10_000, requireReplica: false },
      replica: { name: "a", allowsReset: true },
    }),
    async newPlace() {
      const url = idle.pop() ?? (await newDatabase(await sharedServer(version)));
      const open = new Set<PostgresStore>();
      return {
        file: "",
        async open() {
          const store = await openEngine(url);
          open.add(store);
          return store;
        },
        areTotalsTrue: async () => {
          const [store] = open;
          return store !== undefined && areShardsTrue(store.sql.read);
        },
        async leave() {
          for (const store of open) store.close();
          for (const store of open) await store.closed();
          await runSql(url, EMPTY);
          idle.push(url);
        },
      };
    },
  };
});

let engines: readonly Engine[] = [sqlite];

/** Chooses the engines of the tests that `load` defines. */
export async function onEngines(chosen: readonly Engine[], load: () => Promise<unknown>): Promise<void> {
  engines = chosen;
  await load();
  engines = [sqlite];
}

/** Defines tests once for each engine: on SQLite, or on those that test/integration/postgres chooses. */
export function onEveryEngine(define: (engine: Engine) => void): void {
  for (const engine of engines) describeWith(engine.needs, engine.name, () => define(engine));
}

export interface Shop {
  /** Has the merchants: merchant 1 has payment account 1, and so on. */
  readonly store: Store;
  /** Opens the same database once more, as another process would. */
  openAnother(): Promise<Store>;
  areTotalsTrue(): Promise<boolean>;
}

/** A new store for each test of a block. */
export const useShop = (engine: Engine, merchants = 1): Shop => forEachTest(() => openShopOn(engine, merchants));

/** One store for all tests of a block. */
export const useOneShop = (engine: Engine, merchants = 1): Shop => forAllTests(() => openShopOn(engine, merchants));

async function openShopOn(engine: Engine, merchants: number) {
  const place = await engine.newPlace();
  const store = await place.open();
  await addMerchants(store, merchants);
  return { store, openAnother: place.open, areTotalsTrue: place.areTotalsTrue, close: place.leave };
}
