import type { ApiKey } from "../domain/credentials.ts";
import {
  MAX_ACCOUNTS,
  MAX_KEYS,
  MAX_MERCHANTS,
  MAX_REVOKED_KEYS,
  type Merchant,
  type PaymentAccount,
} from "../domain/merchant.ts";
import type { Tariff } from "../domain/money.ts";
import type { Query } from "./query.ts";
import type { MerchantStore, NewAccount } from "./store.ts";

/** The statements about merchants, their accounts and keys, for both engines. */

const MERCHANT = "id::float8 AS id, name";
const ACCOUNT = `id::float8 AS id, merchant_id::float8 AS "merchantId", name, fee_basis_points AS "basisPoints",
  fee_fixed_cents AS "fixedCents"`;
const KEY = `api_key AS "apiKey", secret_hash AS "secretHash", merchant_id::float8 AS "merchantId", label,
  revoked_at_ms::float8 AS "revokedAtMs"`;

// Each INSERT checks its bound itself, because several can run at once, in several processes.

export const INSERT_MERCHANT = `INSERT INTO merchants (id, name, created_at_ms) SELECT $1::bigint, $2::text, $3::bigint
  WHERE (SELECT count(*) FROM merchants) < ${MAX_MERCHANTS} ON CONFLICT (id) DO NOTHING RETURNING ${MERCHANT}`;

const INSERT_ACCOUNT = `INSERT INTO payment_accounts (id, merchant_id, name, fee_basis_points, fee_fixed_cents, created_at_ms)
  SELECT $1::bigint, $2::bigint, $3::text, $4::int, $5::int, $6::bigint
  WHERE (SELECT count(*) FROM payment_accounts WHERE merchant_id = $2::bigint) < ${MAX_ACCOUNTS}
  ON CONFLICT (id) DO NOTHING RETURNING ${ACCOUNT}`;

const INSERT_KEY = `INSERT INTO api_keys (api_key, secret_hash, merchant_id, label, created_at_ms)
  SELECT $1::text, $2::bytea, $3::bigint, $4::text, $5::bigint
  WHERE (SELECT count(*) FROM api_keys WHERE merchant_id = $3::bigint AND revoked_at_ms IS NULL) < ${MAX_KEYS}
  RETURNING id`;

export const REVOKE_KEY = `UPDATE api_keys SET revoked_at_ms = $2::bigint WHERE api_key = $1::text
  AND revoked_at_ms IS NULL RETURNING id`;

/** Those of the merchant of a key. */
export const FORGET_OLD_KEYS = `DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE merchant_id = (SELECT merchant_id FROM api_keys WHERE api_key = $1::text) AND revoked_at_ms IS NOT NULL
  ORDER BY revoked_at_ms DESC, id DESC LIMIT ${MAX_KEYS} OFFSET ${MAX_REVOKED_KEYS})`;

export const SET_TARIFF =
  "UPDATE payment_accounts SET fee_basis_points = $1::int, fee_fixed_cents = $2::int WHERE id = $3::bigint";

export const FIRST_MERCHANT = `SELECT ${MERCHANT} FROM merchants ORDER BY id LIMIT 1`;
const MERCHANT_BY_ID = `SELECT ${MERCHANT} FROM merchants WHERE id = $1::bigint`;
export const ACCOUNT_BY_ID = `SELECT ${ACCOUNT} FROM payment_accounts WHERE id = $1::bigint`;
export const KEY_BY_NAME = `SELECT ${KEY} FROM api_keys WHERE api_key = $1::text`;
const OF_MERCHANT = "WHERE merchant_id = $1::bigint ORDER BY id";

export interface AccountRow extends Omit<PaymentAccount, "tariff">, Tariff {}

export const toAccount = ({ id, merchantId, name, basisPoints, fixedCents }: AccountRow): PaymentAccount => ({
  id,
  merchantId,
  name,
  tariff: { basisPoints, fixedCents },
});

/** A statement and its parameters, which returns the row if it is stored. */
export const insertAccount = (account: NewAccount, nowMs: number) => {
  const { id = null, merchantId, name, tariff } = account;
  return [INSERT_ACCOUNT, [id, merchantId, name, tariff.basisPoints, tariff.fixedCents, nowMs]] as const;
};

export const insertKey = ({ apiKey, secretHash, merchantId, label }: Omit<ApiKey, "revokedAtMs">, nowMs: number) =>
  [INSERT_KEY, [apiKey, secretHash, merchantId, label, nowMs]] as const;

export function createReads(read: Query) {
  const first = async <Row>(text: string, parameters?: readonly unknown[]) =>
    (await read<Row>(text, parameters))[0] ?? null;
  return {
    findKey: (apiKey) => first<ApiKey>(KEY_BY_NAME, [apiKey]),
    async findPaymentAccount(id) {
      const row = await first<AccountRow>(ACCOUNT_BY_ID, [id]);
      return row && toAccount(row);
    },
    findMerchant: (id) => first<Merchant>(MERCHANT_BY_ID, [id]),
    findFirstMerchant: () => first<Merchant>(FIRST_MERCHANT),
    listMerchants: () => read<Merchant>(`SELECT ${MERCHANT} FROM merchants ORDER BY id`),
    listPaymentAccounts: async (merchantId) =>
      (await read<AccountRow>(`SELECT ${ACCOUNT} FROM payment_accounts ${OF_MERCHANT}`, [merchantId])).map(toAccount),
    listKeys: (merchantId) => read<ApiKey>(`SELECT ${KEY} FROM api_keys ${OF_MERCHANT}`, [merchantId]),
  } satisfies Partial<MerchantStore>;
}
