import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { TransactionFacts } from "../../src/domain/transaction.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { CREATED_AT_MS, pendingOf } from "./payments.ts";
import { seededRandom } from "./random.ts";

/** A store in which merchant 1 has payment account 1, and so on. */
export async function openStoreWithMerchants(file: string, merchants = 1): Promise<Store> {
  const store = openStore(file);
  await addMerchants(store, merchants);
  return store;
}

export async function addMerchants(store: Store, merchants: number): Promise<void> {
  for (let id = 1; id <= merchants; id++) {
    await store.merchants.addMerchant(`Merchant ${id}`, CREATED_AT_MS);
    const tariff = { basisPoints: 100, fixedCents: 0 };
    await store.merchants.addPaymentAccount({ merchantId: id, name: "Main account", tariff }, CREATED_AT_MS);
  }
}

const random = seededRandom(1);

/** A payment that a store has numbered, and not stored yet. */
export async function identified({ transactions }: Store, changes: Partial<TransactionFacts> = {}) {
  return pendingOf({ ...changes, ...(await transactions.identify(changes.createdAtMs ?? CREATED_AT_MS, random)) });
}

/** Stores a payment that has just started. */
export async function insertPending(store: Store, changes: Partial<TransactionFacts> = {}) {
  const pending = await identified(store, changes);
  await store.transactions.insert(pending);
  return pending;
}

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

/**
 * Has a store reject what would change a transaction.
 * @returns a function that ends it
 */
export function failWrites({ transactions }: Store, message: string): () => void {
  const { record, resolveDue } = transactions;
  const fail = () => Promise.reject(new Error(message));
  transactions.record = fail;
  transactions.resolveDue = (nowMs, limit, decide) =>
    resolveDue(nowMs, limit, async (due) => ((await decide(due)).length > 0 ? fail() : []));
  return () => void Object.assign(transactions, { record, resolveDue });
}
