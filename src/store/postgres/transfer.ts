import type { Query } from "../query.ts";
import { UnusableDatabase } from "../store.ts";
import { TABLES, type TableRow, type TableRows, withBinary } from "../transfer.ts";
import type { Connections } from "./connections.ts";
import { BLOCK } from "./numbering.ts";
import { fromRow, toRow } from "./rows.ts";
import { recount } from "./totals.ts";

/** Exports all rows of a database, and imports them into an empty one. PostgreSQL writes and reads a whole row as JSON. */

const ROWS_AT_ONCE = 1000;

/** How long to wait for the connection, and for each statement: the last ones of an import read all rows. */
const LIMITS = { openMs: 30_000, workMs: 24 * 60 * 60 * 1000 };

/** Reads page by page, by ids, in one transaction that sees one point in time. */
export async function* exportTables(connections: Connections): AsyncGenerator<TableRows> {
  const { query, script, end } = await connections.borrow(LIMITS);
  try {
    await script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const table of TABLES) {
      const page = `SELECT * FROM ${table} WHERE id > $1::bigint ORDER BY id LIMIT ${ROWS_AT_ONCE}`;
      for (let after = 0; ; ) {
        const [found] = await query<{ rows: string | null }>(`SELECT json_agg(p)::text AS rows FROM (${page}) AS p`, [
          after,
        ]);
        const rows: TableRow[] = JSON.parse(found?.rows ?? "[]");
        if (rows.length === 0) break;
        after = Number(rows.at(-1)?.id);
        yield { table, rows: rows.map((row) => withBinary(fromRow(row), (hex) => String(hex).slice(BYTEA.length))) };
      }
    }
  } finally {
    end();
  }
}

/**
 * It has no retry, because the source can be read only once.
 * @throws UnusableDatabase `foreign` if the database is not empty
 */
export async function importTables(
  connections: Connections,
  source: AsyncIterable<TableRows> | Iterable<TableRows>,
  name: string,
): Promise<void> {
  const { query, script, end } = await connections.borrow(LIMITS);
  try {
    await script("BEGIN ISOLATION LEVEL READ COMMITTED");
    await script(`LOCK TABLE ${TABLES.join(", ")}, day_totals`);
    const found = await query("SELECT 1 FROM merchants UNION ALL SELECT 1 FROM transactions LIMIT 1");
    if (found.length > 0) throw new UnusableDatabase("foreign", `${name} has merchants already: choose an empty one`);
    await query("DELETE FROM numbering");
    for await (const { table, rows } of source) {
      const json = JSON.stringify(rows.map((row) => withBinary(toRow(row), (hex) => `${BYTEA}${hex}`)));
      const values = `json_populate_recordset(NULL::${table}, $1::text::json)`;
      await query(`INSERT INTO ${table} SELECT * FROM ${values}`, [json]);
    }
    await continueNumbers(query);
    await recount(query);
    // Without statistics, finding a reference among 300,000 payments takes 1.5 s.
    await script(`ANALYZE ${TABLES.join(", ")}, day_totals`);
    await script("COMMIT");
  } finally {
    end();
  }
}

/** How PostgreSQL begins binary values. */
const BYTEA = "\\x";

/** Makes the sequences continue after all numbers that are or were in use. */
async function continueNumbers(query: Query): Promise<void> {
  await query(
    `SELECT setval('transaction_numbers', (greatest(
      (SELECT max(id) FROM transactions), (SELECT last_forgotten FROM numbering), 0
    ) + ${BLOCK - 1}) / ${BLOCK} * ${BLOCK} + 1, false)`,
  );
  for (const table of ["merchants", "payment_accounts", "api_keys"]) {
    await query(`SELECT setval('${table}_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM ${table}), false)`);
  }
}
