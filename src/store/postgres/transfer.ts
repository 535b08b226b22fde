import { UnusableDatabase } from "../store.ts";
import type { Connection, Connections } from "./connections.ts";
import { BLOCK } from "./numbering.ts";
import { TABLES, type TableName, type TableRow, type TableRows } from "./options.ts";
import { fromStored, toStored } from "./rows.ts";
import { recount } from "./totals.ts";

/** Exports all rows of a database, and imports them into an empty one. */

const ROWS_AT_ONCE = 1000;

/** The columns of each table, with the types in which they are exported. */
const COLUMNS: Readonly<Record<TableName, Readonly<Record<string, "bigint" | "text" | "bytea">>>> = {
  merchants: { id: "bigint", name: "text", created_at_ms: "bigint" },
  payment_accounts: {
    ...{ id: "bigint", merchant_id: "bigint", name: "text" },
    ...{ fee_basis_points: "bigint", fee_fixed_cents: "bigint", created_at_ms: "bigint" },
  },
  api_keys: {
    ...{ id: "bigint", api_key: "text", secret_hash: "bytea", merchant_id: "bigint" },
    ...{ label: "text", created_at_ms: "bigint", revoked_at_ms: "bigint" },
  },
  numbering: { id: "bigint", request_id_key: "bytea", last_forgotten: "bigint" },
  transactions: {
    ...{ id: "bigint", merchant_id: "bigint", payment_account_id: "bigint", kind: "bigint", status: "bigint" },
    ...{ amount_cents: "bigint", fee_cents: "bigint", phone: "bigint", reference: "text", reference_folded: "text" },
    ...{ description: "text", secret: "text", created_at_ms: "bigint", expires_at_ms: "bigint", check_at_ms: "bigint" },
    ...{ completed_at_ms: "bigint", result_code: "bigint", result_desc: "text", receipt_number: "text", memo: "text" },
  },
};

/** Reads page by page, by ids, in one transaction that sees one point in time. */
export async function* exportTables(connections: Connections): AsyncGenerator<TableRows> {
  const { query, script, end } = await connections.borrow();
  try {
    await script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const table of TABLES) {
      const columns = Object.entries(COLUMNS[table]).map(([name, type]) => readAs(name, type));
      const select = `SELECT ${columns.join(", ")} FROM ${table} WHERE id > $1::bigint ORDER BY id LIMIT ${ROWS_AT_ONCE}`;
      for (let after = 0; ; ) {
        const rows = await query<TableRow>(select, [after]);
        if (rows.length === 0) break;
        after = Number(rows.at(-1)?.id);
        yield { table, rows: rows.map((row) => converted(row, fromStored)) };
      }
    }
  } finally {
    end();
  }
}

function readAs(name: string, type: string): string {
  if (type === "bytea") return `encode(${name}, 'hex') AS ${name}`;
  return type === "bigint" ? `${name}::float8 AS ${name}` : name;
}

/**
 * It has no deadline and no retry, because the source can be read only once.
 * @throws UnusableDatabase `foreign` if the database is not empty
 */
export async function importTables(
  connections: Connections,
  source: AsyncIterable<TableRows>,
  name: string,
): Promise<void> {
  const connection = await connections.borrow();
  const { query, script } = connection;
  try {
    await script("BEGIN ISOLATION LEVEL READ COMMITTED");
    await script("LOCK TABLE merchants, payment_accounts, api_keys, numbering, transactions, day_totals");
    const found = await query("SELECT 1 FROM merchants UNION ALL SELECT 1 FROM transactions LIMIT 1");
    if (found.length > 0) throw new UnusableDatabase("foreign", `${name} has merchants already: choose an empty one`);
    for await (const rows of source) await fill(connection, rows);
    await continueNumbers(connection);
    await recount(query);
    await script("COMMIT");
  } finally {
    connection.end();
  }
}

async function fill({ query }: Connection, { table, rows }: TableRows): Promise<void> {
  const columns = Object.entries(COLUMNS[table]);
  const names = columns.map(([name]) => name).join(", ");
  const values = columns
    .map(([name, type]) => (type === "bytea" ? `decode(r.${name}, 'hex')` : `r.${name}`))
    .join(", ");
  const typed = columns.map(([name, type]) => `${name} ${type === "bigint" ? "bigint" : "text"}`).join(", ");
  if (table === "numbering") await query("DELETE FROM numbering");
  await query(
    `INSERT INTO ${table} (${names}) SELECT ${values} FROM json_to_recordset($1::text::json) AS r(${typed})`,
    [JSON.stringify(rows.map((row) => converted(row, toStored)))],
  );
}

/** Makes the sequences continue after all numbers that are or were in use. */
async function continueNumbers({ query }: Connection): Promise<void> {
  await query(
    `SELECT setval('transaction_numbers', (greatest(
      (SELECT max(id) FROM transactions), (SELECT last_forgotten FROM numbering), 0
    ) + ${BLOCK - 1}) / ${BLOCK} * ${BLOCK} + 1, false)`,
  );
  for (const table of ["merchants", "payment_accounts", "api_keys"]) {
    await query(`SELECT setval('${table}_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM ${table}), false)`);
  }
}

const converted = (row: TableRow, convert: (text: string) => string): TableRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? convert(value) : value]),
  );
