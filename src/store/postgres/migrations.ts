import type { Random } from "../../domain/random.ts";
import type { Query } from "../query.ts";
import { UnusableDatabase } from "../store.ts";
import type { Script } from "./connections.ts";
import { sqlStateOf } from "./failures.ts";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import deliveries from "./migrations/0002_deliveries.sql" with { type: "text" };
import writes from "./migrations/0003_writes.sql" with { type: "text" };
import list from "./migrations/0004_list.sql" with { type: "text" };
import type { PostgresOptions } from "./options.ts";
import type { EngineSql } from "./sql.ts";

/** In order. A released migration never changes. Each works with the previous program, so that replicas can be updated in turn. */
const MIGRATIONS: readonly string[] = [initial, deliveries, writes, list];

/** The newest schema that this program knows. */
const KNOWN_SCHEMA = MIGRATIONS.length;

/** How often a migration is tried while other processes create the same tables. */
const MAX_ATTEMPTS = 50;

/** Two processes created the same table at once, or wait for each other. */
const isCollision = (error: unknown): boolean => /^(?:23505|42P07|42710|40001|40P01)$/.test(sqlStateOf(error));

/**
 * Checks that the database is for this program, and updates its schema if `migrate` allows that: all or nothing, also if several
 * processes do it at once.
 * @returns the version of the schema
 * @throws UnusableDatabase `foreign`, `newer` or `older`
 */
export async function prepareSchema(
  sql: EngineSql,
  { migrate, random }: Pick<PostgresOptions, "migrate" | "random">,
  name: string,
): Promise<number> {
  const found = await schemaOf(sql.read);
  if (!needsMigration(found, migrate, name)) return KNOWN_SCHEMA;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sql.transaction((query, script) => migrateOnce(query, script, migrate, random, name));
      return KNOWN_SCHEMA;
    } catch (error) {
      if (!isCollision(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** @returns whether migrations must run */
function needsMigration(schema: number | "foreign", migrate: PostgresOptions["migrate"], name: string): boolean {
  if (schema === "foreign") {
    throw new UnusableDatabase("foreign", `${name} has tables of another program: give momo a database of its own`);
  }
  if (schema === KNOWN_SCHEMA) return false;
  if (schema > KNOWN_SCHEMA) {
    throw new UnusableDatabase(
      "newer",
      `${name} was written by a newer momo (schema ${schema}; this one knows up to ${KNOWN_SCHEMA})`,
    );
  }
  const allowed = migrate === "older" || (migrate === "empty" && schema === 0);
  if (allowed) return true;
  const what = schema === 0 ? "is empty" : `has the older schema ${schema}`;
  throw new UnusableDatabase(schema === 0 ? "missing" : "older", `${name} ${what}`);
}

/** The version of the schema; 0 if there is none, `foreign` if there are only tables of other programs. */
async function schemaOf(query: Query): Promise<number | "foreign"> {
  const [found] = await query<{ own: string | null; tables: number; isStandby: boolean }>(
    `SELECT to_regclass('momo_schema')::text AS own, pg_is_in_recovery() AS "isStandby",
      (SELECT count(*)::int FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()::text) AND relkind IN ('r', 'p', 'v', 'S')) AS tables`,
  );
  if (found?.own == null) return found && found.tables > 0 ? "foreign" : 0;
  const [row] = await query<{ version: number }>("SELECT version FROM momo_schema");
  return row?.version ?? 0;
}

/** Locks the row of `momo_schema`, so that one process at a time migrates. Every engine with PostgreSQL's protocol can do that. */
async function migrateOnce(
  query: Query,
  script: Script,
  migrate: PostgresOptions["migrate"],
  random: Random,
  name: string,
): Promise<void> {
  await script(`CREATE TABLE IF NOT EXISTS momo_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
    INSERT INTO momo_schema VALUES (1, 0) ON CONFLICT DO NOTHING`);
  const [row] = await query<{ version: number }>("SELECT version FROM momo_schema FOR UPDATE");
  const version = row?.version ?? 0;
  if (needsMigration(version, migrate, name)) {
    for (const migration of MIGRATIONS.slice(version)) await script(migration);
    await query("INSERT INTO numbering VALUES (1, decode($1, 'hex'), 0) ON CONFLICT DO NOTHING", [
      Buffer.from(random.bytes(32)).toString("hex"),
    ]);
    await query("UPDATE momo_schema SET version = $1::int", [KNOWN_SCHEMA]);
  }
}
