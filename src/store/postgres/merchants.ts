import type { ApiKey } from "../../domain/credentials.ts";
import {
  MAX_ACCOUNTS,
  MAX_KEYS,
  MAX_MERCHANTS,
  MAX_REVOKED_KEYS,
  type Merchant,
  type PaymentAccount,
} from "../../domain/merchant.ts";
import { type AccountRow, toAccount } from "../rows.ts";
import type { MerchantStore } from "../store.ts";
import type { EngineSql, Query } from "./options.ts";

interface KeyRow extends Omit<ApiKey, "secretHash"> {
  readonly secretHash: string;
}

const MERCHANT = "id::float8 AS id, name";
const ACCOUNT = `id::float8 AS id, merchant_id::float8 AS "merchantId", name, fee_basis_points AS "basisPoints",
  fee_fixed_cents AS "fixedCents"`;
const KEY = `api_key AS "apiKey", encode(secret_hash, 'hex') AS "secretHash", merchant_id::float8 AS "merchantId", label,
  revoked_at_ms::float8 AS "revokedAtMs"`;

// Each INSERT checks its bound itself.

const INSERT_MERCHANT = `INSERT INTO merchants SELECT $1::bigint, $2::text, $3::bigint
  WHERE (SELECT count(*) FROM merchants) < ${MAX_MERCHANTS} ON CONFLICT (id) DO NOTHING`;
const INSERT_ACCOUNT = `INSERT INTO payment_accounts SELECT $1::bigint, $2::bigint, $3::text, $4::int, $5::int, $6::bigint
  WHERE (SELECT count(*) FROM payment_accounts WHERE merchant_id = $2::bigint) < ${MAX_ACCOUNTS}
  ON CONFLICT (id) DO NOTHING RETURNING ${ACCOUNT}`;
/** The account that this statement has inserted before, if its answer was lost. */
const OWN_ACCOUNT = `SELECT ${ACCOUNT} FROM payment_accounts
  WHERE id = $1::bigint AND merchant_id = $2::bigint AND name = $3::text AND created_at_ms = $4::bigint`;
/** The next numbers follow an id that was given. */
const FOLLOW_ID =
  "SELECT setval('payment_accounts_id_seq', greatest($1::bigint, last_value)) FROM payment_accounts_id_seq";
const INSERT_KEY = `INSERT INTO api_keys (api_key, secret_hash, merchant_id, label, created_at_ms)
  SELECT $1::text, decode($2::text, 'hex'), $3::bigint, $4::text, $5::bigint
  WHERE (SELECT count(*) FROM api_keys WHERE merchant_id = $3::bigint AND revoked_at_ms IS NULL) < ${MAX_KEYS}
  RETURNING id`;
const REVOKE_KEY = `UPDATE api_keys SET revoked_at_ms = $2::bigint WHERE api_key = $1::text
  AND (revoked_at_ms IS NULL OR ($3::boolean AND revoked_at_ms = $2::bigint)) RETURNING id`;
const FORGET_OLD_KEYS = `DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE merchant_id = (SELECT merchant_id FROM api_keys WHERE api_key = $1::text) AND revoked_at_ms IS NOT NULL
  ORDER BY revoked_at_ms DESC, id DESC OFFSET ${MAX_REVOKED_KEYS})`;

const MERCHANT_BY_ID = `SELECT ${MERCHANT} FROM merchants WHERE id = $1::bigint`;
const ACCOUNT_BY_ID = `SELECT ${ACCOUNT} FROM payment_accounts WHERE id = $1::bigint`;
const KEY_BY_NAME = `SELECT ${KEY} FROM api_keys WHERE api_key = $1::text`;
const OF_MERCHANT = "WHERE merchant_id = $1::bigint ORDER BY id";

/**
 * Merchants, with their payment accounts and keys. Each new row has its number before it is inserted, so that a statement without an
 * answer can be sent again. An insert first locks the row to which it belongs, because it checks a count.
 */
export function createMerchantStore(sql: EngineSql, stopwatch: () => number): MerchantStore {
  const { transaction } = sql;
  const { keys, accounts, reads } = createLookups(sql, stopwatch);

  async function numberFor(table: "merchants" | "payment_accounts"): Promise<number> {
    const [taken] = await sql.write<{ id: number }>(`SELECT nextval('${table}_id_seq')::float8 AS id`);
    return taken?.id ?? 0;
  }

  const store: MerchantStore = {
    async addFirst({ name, account: { id, ...account }, key }, nowMs) {
      const merchantId = await numberFor("merchants");
      const accountId = id ?? (await numberFor("payment_accounts"));
      return transaction(async (query, mayBeWritten) => {
        await insertMerchant(query, merchantId, name, nowMs);
        const added = await insertAccount(query, accountId, { ...account, merchantId }, nowMs, mayBeWritten);
        const hasKey = await insertKey(query, { ...key, merchantId }, nowMs, mayBeWritten);
        if (!added || !hasKey) throw new Error("the first merchant could not be stored");
        return added;
      });
    },

    async addMerchant(name, nowMs) {
      const id = await numberFor("merchants");
      return transaction((query) => insertMerchant(query, id, name, nowMs));
    },

    async addPaymentAccount({ id, ...account }, nowMs) {
      const accountId = id ?? (await numberFor("payment_accounts"));
      const added = await transaction((query, mayBeWritten) =>
        insertAccount(query, accountId, account, nowMs, mayBeWritten),
      );
      accounts.forget(accountId);
      // Meanwhile, another account was given the number.
      if (added === null && id === undefined && (await accounts.find(accountId)))
        return store.addPaymentAccount(account, nowMs);
      return added;
    },

    addKey: (key, nowMs) => transaction((query, mayBeWritten) => insertKey(query, key, nowMs, mayBeWritten)),

    async revokeKey(apiKey, nowMs) {
      const revoked = await transaction(async (query, mayBeWritten) => {
        const [changed] = await query(REVOKE_KEY, [apiKey, nowMs, mayBeWritten]);
        if (changed) await query(FORGET_OLD_KEYS, [apiKey]);
        return changed !== undefined;
      });
      keys.forget(apiKey);
      return revoked;
    },

    async setTariff(accountId, { basisPoints, fixedCents }) {
      const set = "SET fee_basis_points = $1::int, fee_fixed_cents = $2::int WHERE id = $3::bigint";
      await sql.write(`UPDATE payment_accounts ${set}`, [basisPoints, fixedCents, accountId]);
      accounts.forget(accountId);
    },

    ...reads,
  };
  return store;
}

async function insertMerchant(query: Query, id: number, name: string, nowMs: number): Promise<Merchant | null> {
  await query("SELECT 1 FROM numbering FOR UPDATE");
  await query(INSERT_MERCHANT, [id, name, nowMs]);
  const [row] = await query<Merchant>(MERCHANT_BY_ID, [id]);
  return row ?? null;
}

async function insertAccount(
  query: Query,
  id: number,
  { merchantId, name, tariff }: Omit<PaymentAccount, "id">,
  nowMs: number,
  mayBeWritten: boolean,
): Promise<PaymentAccount | null> {
  await lockMerchant(query, merchantId);
  const values = [id, merchantId, name, tariff.basisPoints, tariff.fixedCents, nowMs];
  let [row] = await query<AccountRow>(INSERT_ACCOUNT, values);
  if (!row && mayBeWritten) [row] = await query<AccountRow>(OWN_ACCOUNT, [id, merchantId, name, nowMs]);
  await query(FOLLOW_ID, [id]);
  return row ? toAccount(row) : null;
}

async function insertKey(
  query: Query,
  key: Omit<ApiKey, "revokedAtMs">,
  nowMs: number,
  mayBeWritten: boolean,
): Promise<boolean> {
  const { apiKey, secretHash, merchantId, label } = key;
  const hash = Buffer.from(secretHash).toString("hex");
  await lockMerchant(query, merchantId);
  const [own] = await query<KeyRow>(KEY_BY_NAME, [apiKey]);
  if (mayBeWritten && own?.secretHash === hash) return true;
  return (await query(INSERT_KEY, [apiKey, hash, merchantId, label, nowMs])).length === 1;
}

function createLookups({ read }: EngineSql, stopwatch: () => number) {
  const keys = createRecent(stopwatch, async (apiKey: string) => {
    const [row] = await read<KeyRow>(KEY_BY_NAME, [apiKey]);
    return row ? toKey(row) : null;
  });
  const accounts = createRecent(stopwatch, async (id: number) => {
    const [row] = await read<AccountRow>(ACCOUNT_BY_ID, [id]);
    return row ? toAccount(row) : null;
  });
  const reads = {
    findKey: keys.find,
    findPaymentAccount: accounts.find,
    findMerchant: async (id: number) => (await read<Merchant>(MERCHANT_BY_ID, [id]))[0] ?? null,
    findFirstMerchant: async () =>
      (await read<Merchant>(`SELECT ${MERCHANT} FROM merchants ORDER BY id LIMIT 1`))[0] ?? null,
    listMerchants: () => read<Merchant>(`SELECT ${MERCHANT} FROM merchants ORDER BY id`),
    listPaymentAccounts: async (merchantId: number) =>
      (await read<AccountRow>(`SELECT ${ACCOUNT} FROM payment_accounts ${OF_MERCHANT}`, [merchantId])).map(toAccount),
    listKeys: async (merchantId: number) =>
      (await read<KeyRow>(`SELECT ${KEY} FROM api_keys ${OF_MERCHANT}`, [merchantId])).map(toKey),
  };
  return { keys, accounts, reads };
}

const lockMerchant = (query: Query, id: number) =>
  query("SELECT 1 FROM merchants WHERE id = $1::bigint FOR UPDATE", [id]);

const toKey = ({ secretHash, ...key }: KeyRow): ApiKey => ({ ...key, secretHash: Buffer.from(secretHash, "hex") });

/** How long a row is cached. For this time, other replicas still accept a revoked key. */
const RECENT_MS = 1000;

/** A cache with this many entries is emptied before the next one. */
const CAPACITY = 4000;

/**
 * A cache of rows that every request needs and that change rarely. Lookups at the same time share one read. Nothing tells what other
 * replicas have written, as SQLite does for its cache, so a row is kept for a time.
 * @param read reads a row; a missing row is not cached
 */
export function createRecent<K, V>(stopwatch: () => number, read: (key: K) => Promise<V | null>) {
  const kept = new Map<K, { readonly atMs: number; readonly row: Promise<V | null> }>();
  return {
    find(key: K): Promise<V | null> {
      const atMs = stopwatch();
      const known = kept.get(key);
      if (known && atMs - known.atMs < RECENT_MS) return known.row;
      const entry = { atMs, row: read(key) };
      if (kept.size >= CAPACITY) kept.clear();
      kept.set(key, entry);
      const drop = () => {
        if (kept.get(key) === entry) kept.delete(key);
      };
      void entry.row.then((row) => {
        if (row === null) drop();
      }, drop);
      return entry.row;
    },
    forget: (key: K) => void kept.delete(key),
  };
}
