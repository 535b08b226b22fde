import type { Database, SQLQueryBindings } from "bun:sqlite";

export type Row = Readonly<Record<string, SQLQueryBindings>>;

/** A sound row of each table, as SQL sees it; kinds and statuses are codes. The transaction is pending. */
export const ROWS = {
  merchants: { id: 1, name: "Shop", created_at_ms: 1 },
  payment_accounts: {
    id: 1,
    merchant_id: 1,
    name: "Main",
    fee_basis_points: 100,
    fee_fixed_cents: 0,
    created_at_ms: 1,
  },
  api_keys: {
    id: 1,
    api_key: "mk_1",
    secret_hash: new Uint8Array(32),
    merchant_id: 1,
    label: "first",
    created_at_ms: 1,
  },
  transactions: {
    id: 1,
    merchant_id: 1,
    payment_account_id: 1,
    kind: 0,
    status: 0,
    amount_cents: 10_000,
    fee_cents: 100,
    phone: 254712345678,
    secret: "0123456789AB",
    created_at_ms: 1000,
    expires_at_ms: 61_000,
    check_at_ms: 4000,
    memo: "",
  },
} as const satisfies Record<string, Row>;

export function insertRow(client: Database, table: keyof typeof ROWS, row: Row): void {
  const names = Object.keys(row);
  client
    .query(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
}
