import type { ApiKey } from "../../domain/credentials.ts";
import type { Merchant, PaymentAccount } from "../../domain/merchant.ts";
import * as shared from "../merchants.ts";
import type { Query } from "../query.ts";
import type { FirstMerchant, MerchantStore, NewAccount } from "../store.ts";
import { createRecent } from "./recent.ts";
import type { EngineSql } from "./sql.ts";

/** The next numbers follow an id that was given. */
const FOLLOW_ID =
  "SELECT setval('payment_accounts_id_seq', greatest($1::bigint, last_value)) FROM payment_accounts_id_seq";

/**
 * Merchants, with their payment accounts and keys. A new merchant has its number before it is inserted, and the first one is known
 * by its key, so that both can be sent again if an answer is lost. An insert first locks the row to which it belongs, because it
 * checks a count.
 */
export function createMerchantStore(sql: EngineSql, stopwatch: () => number): MerchantStore {
  const { read, write, transaction, transactionOnce } = sql;
  const reads = shared.createReads(read);
  const keys = createRecent(stopwatch, reads.findKey);
  const accounts = createRecent(stopwatch, reads.findPaymentAccount);

  const store: MerchantStore = {
    addFirst: (first, nowMs) => transaction((query) => addFirst(query, first, nowMs)),

    async addMerchant(name, nowMs) {
      const id = await numberFor(write, "merchants");
      return transaction((query) => addMerchant(query, id, name, nowMs));
    },

    async addPaymentAccount(account, nowMs) {
      const id = account.id ?? (await numberFor(write, "payment_accounts"));
      const added = await transactionOnce((query) => addAccount(query, { ...account, id }, nowMs));
      accounts.forget(id);
      // Meanwhile, another account was given the number.
      if (added === null && account.id === undefined && (await accounts.find(id)))
        return store.addPaymentAccount(account, nowMs);
      return added;
    },

    addKey: (key, nowMs) => transactionOnce((query) => addKey(query, key, nowMs)),

    async revokeKey(apiKey, nowMs) {
      const isRevoked = await transactionOnce(async (query) => {
        const revoked = await query(shared.REVOKE_KEY, [apiKey, nowMs]);
        if (revoked.length > 0) await query(shared.FORGET_OLD_KEYS, [apiKey]);
        return revoked.length > 0;
      });
      keys.forget(apiKey);
      return isRevoked;
    },

    async setTariff(accountId, { basisPoints, fixedCents }) {
      await write(shared.SET_TARIFF, [basisPoints, fixedCents, accountId]);
      accounts.forget(accountId);
    },

    ...reads,
    findKey: keys.find,
    findPaymentAccount: accounts.find,
  };
  return store;
}

async function numberFor(query: Query, table: "merchants" | "payment_accounts"): Promise<number> {
  const [taken] = await query<{ id: number }>(`SELECT nextval('${table}_id_seq')::float8 AS id`);
  return taken?.id ?? 0;
}

/** Its key shows whether an earlier attempt has stored it. */
async function addFirst(
  query: Query,
  { name, account, key }: FirstMerchant,
  nowMs: number,
): Promise<PaymentAccount | null> {
  await lockMerchants(query);
  const { findFirstMerchant, listPaymentAccounts, findKey } = shared.createReads(query);
  const own = await findKey(key.apiKey);
  if (own && isSameSecret(own, key)) return (await listPaymentAccounts(own.merchantId))[0] ?? null;
  if ((await findFirstMerchant()) !== null) return null;
  const merchantId = await numberFor(query, "merchants");
  await addMerchant(query, merchantId, name, nowMs);
  await addKey(query, { ...key, merchantId }, nowMs);
  const id = account.id ?? (await numberFor(query, "payment_accounts"));
  return addAccount(query, { ...account, id, merchantId }, nowMs);
}

async function addMerchant(query: Query, id: number, name: string, nowMs: number): Promise<Merchant | null> {
  await lockMerchants(query);
  await query(shared.INSERT_MERCHANT, [id, name, nowMs]);
  const [row] = await query<Merchant>(shared.MERCHANT_BY_ID, [id]);
  return row ?? null;
}

async function addAccount(
  query: Query,
  account: NewAccount & { readonly id: number },
  nowMs: number,
): Promise<PaymentAccount | null> {
  await lockMerchant(query, account.merchantId);
  const [row] = await query<shared.AccountRow>(...shared.insertAccount(account, nowMs));
  if (!row) return null;
  await query(FOLLOW_ID, [account.id]);
  return shared.toAccount(row);
}

async function addKey(query: Query, key: Omit<ApiKey, "revokedAtMs">, nowMs: number): Promise<boolean> {
  await lockMerchant(query, key.merchantId);
  return (await query(...shared.insertKey(key, nowMs))).length === 1;
}

type Secret = Pick<ApiKey, "secretHash">;

const isSameSecret = (one: Secret, other: Secret) => Buffer.compare(one.secretHash, other.secretHash) === 0;

/** Orders those who add one. */
const lockMerchants = (query: Query) => query("SELECT 1 FROM numbering FOR UPDATE");

const lockMerchant = (query: Query, id: number) =>
  query("SELECT 1 FROM merchants WHERE id = $1::bigint FOR UPDATE", [id]);
