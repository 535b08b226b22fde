import type { PostgresStore } from "../../src/store/postgres/postgres.ts";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import { explainDatabase } from "./explain-database.ts";

/** A database that several servers share, for a command that does one piece of work with it. */

export interface NamedDatabase {
  readonly url: string;
  readonly password: string | null;
}

/** All rows of a large database are one write. */
const DEADLINE_MS = 24 * 60 * 60 * 1000;
const CONNECTIONS = 2;

/**
 * @param migrate as {@link PostgresStore} is opened
 * @throws UnusableDatabase
 */
export async function withDatabase<T>(
  { url, password }: NamedDatabase,
  migrate: "refuse" | "empty" | "older",
  work: (store: PostgresStore) => Promise<T>,
): Promise<T> {
  const { openPostgres } = await import("../../src/store/postgres/postgres.ts");
  const store = await openPostgres({
    url,
    password,
    migrate,
    connections: CONNECTIONS,
    commitDeadlineMs: DEADLINE_MS,
    replica: "command",
    requireReplica: false,
    clock: systemClock,
    stopwatch,
    random: systemRandom,
  }).catch((error: unknown) => {
    throw explainDatabase(error);
  });
  try {
    return await work(store);
  } catch (error) {
    throw explainDatabase(error);
  } finally {
    store.close();
    await store.closed();
  }
}
