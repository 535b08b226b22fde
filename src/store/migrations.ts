import type { Database } from "bun:sqlite";
import initial from "./migrations/0001_initial.sql" with { type: "text" };

/** In order; the number of a migration is its place here, from 1. What has been released never changes. */
const MIGRATIONS: readonly string[] = [initial];

/** The newest schema that this program knows. */
export const KNOWN_MIGRATIONS = MIGRATIONS.length;

/**
 * Runs the migrations that the database has not seen (PRAGMA user_version), all or nothing. Two processes may start at once:
 * the second waits, and then finds nothing to do.
 * @param refuse called, before anything is changed, for a database with more migrations than this program knows
 */
export function migrate(client: Database, refuse: (version: number, known: number) => never): void {
  if (versionOf(client) === KNOWN_MIGRATIONS) return;
  const run = client.transaction(() => {
    const version = versionOf(client);
    if (version > KNOWN_MIGRATIONS) refuse(version, KNOWN_MIGRATIONS);
    for (const migration of MIGRATIONS.slice(version)) client.run(migration);
    client.run(`PRAGMA user_version = ${KNOWN_MIGRATIONS}`);
  });
  run.immediate();
}

function versionOf(client: Database): number {
  return client.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}
