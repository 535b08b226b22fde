import type { Database } from "bun:sqlite";
import initial from "./migrations/0001_initial.sql" with { type: "text" };

/** In order. A released migration never changes. */
export const MIGRATIONS: readonly string[] = [initial];

/** Schemas up to this number are from before the first release. Nothing reads them any more. */
export const LAST_UNRELEASED = 13;

/** The newest schema that this program knows. */
export const KNOWN_SCHEMA = LAST_UNRELEASED + MIGRATIONS.length;

/** The bytes `momo`, in the header of every database of ours (PRAGMA application_id). */
export const APPLICATION_ID = 0x6d6f6d6f;

/**
 * Runs the migrations that the database does not have yet (PRAGMA user_version), all or none. If two processes start at once,
 * the second waits, and then finds nothing to do.
 * @param refuseOthers throws if the database is not for this program; called again when no other process can write
 */
export function migrate(client: Database, refuseOthers: () => unknown): void {
  if (schemaOf(client) === KNOWN_SCHEMA) return;
  const run = client.transaction(() => {
    refuseOthers();
    client.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    for (const migration of MIGRATIONS.slice(Math.max(schemaOf(client) - LAST_UNRELEASED, 0))) client.run(migration);
    client.run(`PRAGMA user_version = ${KNOWN_SCHEMA}`);
  });
  run.immediate();
}

function schemaOf(client: Database): number {
  return client.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}
