import type { Database } from "bun:sqlite";
import initial from "./migrations/0001_initial.sql" with { type: "text" };
import { recount } from "./totals.ts";

/** In order. A released migration never changes. */
export const MIGRATIONS: readonly string[] = [initial];

/** Schemas up to this number are from before the first release. Nothing reads them any more. */
export const LAST_UNRELEASED = 11;

/** The last schema before the first migration. Its tables, and those of the schema before, have other columns. */
const LAST_BEFORE = 13;

/** The newest schema that this program knows. */
export const KNOWN_SCHEMA = LAST_BEFORE + MIGRATIONS.length;

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
    const schema = schemaOf(client);
    const isBefore = schema > 0 && schema <= LAST_BEFORE;
    if (isBefore) setAside(client);
    for (const migration of MIGRATIONS.slice(Math.max(schema - LAST_BEFORE, 0))) client.run(migration);
    if (isBefore) takeOver(client);
    client.run(`PRAGMA user_version = ${KNOWN_SCHEMA}`);
  });
  run.immediate();
}

function schemaOf(client: Database): number {
  return client.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** The tables with rows, each after those that it refers to. */
const TABLES = ["merchants", "payment_accounts", "api_keys", "numbering", "transactions", "deliveries"];

/** Renames all tables, and drops their indexes and triggers, whose names the new ones need. */
function setAside(client: Database): void {
  for (const type of ["trigger", "index", "table"]) {
    const parts = "SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%'";
    for (const { name } of client.query<{ name: string }, [string]>(parts).all(type)) {
      client.run(type === "table" ? `ALTER TABLE ${name} RENAME TO old_${name}` : `DROP ${type} ${name}`);
    }
  }
}

/** Moves the rows into the new tables. The id of a transaction could be another one than its number. */
function takeOver(client: Database): void {
  const columnsOf = (table: string) =>
    client
      .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name }) => name);
  client.run("DELETE FROM numbering");
  for (const table of TABLES) {
    const old = columnsOf(`old_${table}`);
    const kept = columnsOf(table).filter((name) => old.includes(name));
    const values = kept.map((name) => (table === "transactions" && name === "id" ? "coalesce(number, id)" : name));
    if (kept.length > 0) client.run(`INSERT INTO ${table} (${kept}) SELECT ${values} FROM old_${table}`);
  }
  client.run(`UPDATE deliveries SET transaction_id = number FROM old_transactions
    WHERE old_transactions.id = transaction_id AND number IS NOT NULL`);
  recount(client);
  const left =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'old\\_%' ESCAPE '\\' ORDER BY rowid DESC";
  for (const { name } of client.query<{ name: string }, []>(left).all()) client.run(`DROP TABLE ${name}`);
}
