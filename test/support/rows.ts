import type { Database, SQLQueryBindings } from "bun:sqlite";

export type Row = Readonly<Record<string, SQLQueryBindings>>;

const MERCHANT: Row = { id: 1, name: "Shop", created_at_ms: 1 };
const ACCOUNT: Row = {
  id: 1,
  merchant_id: 1,
  name: "Main",
  fee_basis_points: 100,
  fee_fixed_cents: 0,
  created_at_ms: 1,
};
const KEY: Row = {
  id: 1,
  api_key: "mk_1",
  secret_hash: new Uint8Array(32),
  merchant_id: 1,
  label: "first",
  created_at_ms: 1,
};
const PENDING: Row = {
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
};

/** A sound row of each table, as SQL sees it; kinds and statuses are codes. */
export const ROWS = { merchants: MERCHANT, payment_accounts: ACCOUNT, api_keys: KEY, transactions: PENDING } as const;

/** What an update must set to end {@link ROWS}.transactions with a payment. */
export const COMPLETED: Row = {
  status: 1,
  receipt_number: "UJ22T8IYOU",
  result_code: 0,
  result_desc: "paid",
  completed_at_ms: 4000,
  check_at_ms: null,
};

/** What an update must set to end it without one. */
export const FAILED: Row = {
  status: 2,
  result_code: 1,
  result_desc: "no money",
  check_at_ms: null,
};

export function insertRow(client: Database, table: keyof typeof ROWS, row: Row): void {
  const names = Object.keys(row);
  client
    .query(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
}

export function updateTransaction(client: Database, row: Row): void {
  const assignments = Object.keys(row).map((name) => `${name} = ?`);
  client.query(`UPDATE transactions SET ${assignments.join(", ")} WHERE id = 1`).run(...Object.values(row));
}
