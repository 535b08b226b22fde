import type { Database } from "bun:sqlite";
import type { ApiKey } from "../../domain/credentials.ts";
import {
  MAX_ACCOUNTS,
  MAX_KEYS,
  MAX_MERCHANTS,
  MAX_REVOKED_KEYS,
  type Merchant,
  type PaymentAccount,
} from "../../domain/merchant.ts";
import type { Tariff } from "../../domain/money.ts";
import { type AccountRow, toAccount } from "../rows.ts";
import type { MerchantStore, NewAccount } from "../store.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { createLookupCache, type TurnReads } from "./turn-reads.ts";

const MERCHANT = "id, name";
const ACCOUNT = "id, merchant_id AS merchantId, name, fee_basis_points AS basisPoints, fee_fixed_cents AS fixedCents";
const KEY =
  "api_key AS apiKey, secret_hash AS secretHash, merchant_id AS merchantId, label, revoked_at_ms AS revokedAtMs";

// Each INSERT checks its bound itself, because several can run at once, in several processes.

const INSERT_MERCHANT = `INSERT INTO merchants (name, created_at_ms) SELECT ?, ?
  WHERE (SELECT count(*) FROM merchants) < ${MAX_MERCHANTS} RETURNING ${MERCHANT}`;

const INSERT_ACCOUNT = `INSERT INTO payment_accounts (id, merchant_id, name, fee_basis_points, fee_fixed_cents, created_at_ms)
  SELECT $id, $merchantId, $name, $basisPoints, $fixedCents, $nowMs
  WHERE (SELECT count(*) FROM payment_accounts WHERE merchant_id = $merchantId) < ${MAX_ACCOUNTS}
  ON CONFLICT (id) DO NOTHING
  RETURNING ${ACCOUNT}`;

const INSERT_KEY = `INSERT INTO api_keys (api_key, secret_hash, merchant_id, label, created_at_ms)
  SELECT $apiKey, $secretHash, $merchantId, $label, $nowMs
  WHERE (SELECT count(*) FROM api_keys WHERE merchant_id = $merchantId AND revoked_at_ms IS NULL) < ${MAX_KEYS}`;

const REVOKE_KEY = `UPDATE api_keys SET revoked_at_ms = ? WHERE api_key = ? AND revoked_at_ms IS NULL
  RETURNING merchant_id AS merchantId`;

const FORGET_OLD_KEYS = `DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE merchant_id = ? AND revoked_at_ms IS NOT NULL
  ORDER BY revoked_at_ms DESC, id DESC LIMIT -1 OFFSET ${MAX_REVOKED_KEYS})`;

const SET_TARIFF = "UPDATE payment_accounts SET fee_basis_points = ?, fee_fixed_cents = ? WHERE id = ?";

/** Merchants, with their payment accounts and keys. */
export function createMerchantStore(client: Database, turnReads: TurnReads, commits: CommitQueue): MerchantStore {
  const keys = createLookupCache<string, ApiKey>(turnReads, (apiKey) =>
    client.query<ApiKey, [string]>(`SELECT ${KEY} FROM api_keys WHERE api_key = ?`).get(apiKey),
  );
  const accounts = createLookupCache<number, PaymentAccount>(turnReads, (id) => {
    const row = client.query<AccountRow, [number]>(`SELECT ${ACCOUNT} FROM payment_accounts WHERE id = ?`).get(id);
    return row && toAccount(row);
  });

  const insert = createInserts(client);

  return {
    addFirst: ({ name, account, key }, nowMs) =>
      commits.run(() => {
        const merchantId = insert.merchant(name, nowMs)?.id ?? 0;
        insert.key({ ...key, merchantId }, nowMs);
        const added = insert.account({ ...account, merchantId }, nowMs);
        if (!added) throw new Error("the first merchant could not be stored");
        return added;
      }),
    addMerchant: (name, nowMs) => commits.run(() => insert.merchant(name, nowMs)),
    addPaymentAccount: (account, nowMs) => commits.run(() => insert.account(account, nowMs)),
    addKey: (key, nowMs) => commits.run(() => insert.key(key, nowMs)),

    async revokeKey(apiKey: string, nowMs: number): Promise<boolean> {
      return commits.run(() => {
        const revoked = client.query<{ merchantId: number }, [number, string]>(REVOKE_KEY).get(nowMs, apiKey);
        if (revoked) client.query(FORGET_OLD_KEYS).run(revoked.merchantId);
        keys.forget(apiKey);
        return revoked !== null;
      });
    },

    async setTariff(accountId: number, { basisPoints, fixedCents }: Tariff): Promise<void> {
      await commits.run(() => {
        client.query(SET_TARIFF).run(basisPoints, fixedCents, accountId);
        accounts.forget(accountId);
      });
    },

    findKey: keys.find,

    async findPaymentAccount(id: number): Promise<PaymentAccount | null> {
      return accounts.find(id);
    },

    async findMerchant(id: number): Promise<Merchant | null> {
      return client.query<Merchant, [number]>(`SELECT ${MERCHANT} FROM merchants WHERE id = ?`).get(id);
    },

    async findFirstMerchant(): Promise<Merchant | null> {
      return client.query<Merchant, []>(`SELECT ${MERCHANT} FROM merchants ORDER BY id LIMIT 1`).get();
    },

    async listMerchants(): Promise<Merchant[]> {
      return client.query<Merchant, []>(`SELECT ${MERCHANT} FROM merchants ORDER BY id`).all();
    },

    async listPaymentAccounts(merchantId: number): Promise<PaymentAccount[]> {
      const select = `SELECT ${ACCOUNT} FROM payment_accounts WHERE merchant_id = ? ORDER BY id`;
      return client.query<AccountRow, [number]>(select).all(merchantId).map(toAccount);
    },

    async listKeys(merchantId: number): Promise<ApiKey[]> {
      return client
        .query<ApiKey, [number]>(`SELECT ${KEY} FROM api_keys WHERE merchant_id = ? ORDER BY id`)
        .all(merchantId);
    },
  };
}

/** Each checks its bound, and returns null or false if it is reached. */
function createInserts(client: Database) {
  return {
    merchant: (name: string, nowMs: number) =>
      client.query<Merchant, [string, number]>(INSERT_MERCHANT).get(name, nowMs),
    account({ id, merchantId, name, tariff }: NewAccount, nowMs: number) {
      const row = client
        .query<AccountRow, Record<string, string | number | null>>(INSERT_ACCOUNT)
        .get({ id: id ?? null, merchantId, name, ...tariff, nowMs });
      return row && toAccount(row);
    },
    key: (key: Omit<ApiKey, "revokedAtMs">, nowMs: number) =>
      client.query(INSERT_KEY).run({ ...key, nowMs }).changes === 1,
  };
}
