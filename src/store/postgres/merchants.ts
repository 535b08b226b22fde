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
 * Merchants, with their payment accounts and keys. What inserts one first takes a lock, because it checks a count. The first merchant
 * is known by its key, so that it can be sent again if an answer is lost.
 */
export function createMerchantStore({ read, write, transaction, transactionOnce }: EngineSql, stopwatch: () => number) {
  const reads = shared.createReads(read);
  const keys = createRecent(stopwatch, reads.findKey);
  const accounts = createRecent(stopwatch, reads.findPaymentAccount);

  return {
    addFirst: (first, nowMs) => transaction((query) => addFirst(query, first, nowMs)),
    addMerchant: (name, nowMs) => transactionOnce((query) => addMerchant(query, name, nowMs)),

    async addPaymentAccount(account, nowMs) {
      const added = await transactionOnce((query) => addAccount(query, account, nowMs));
      if (added) accounts.forget(added.id);
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
  } satisfies MerchantStore;
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
  await lock(query);
  const { findFirstMerchant, listPaymentAccounts, findKey } = shared.createReads(query);
  const own = await findKey(key.apiKey);
  if (own && isSameSecret(own, key)) return (await listPaymentAccounts(own.merchantId))[0] ?? null;
  if ((await findFirstMerchant()) !== null) return null;
  const merchant = await addMerchant(query, name, nowMs);
  if (!merchant) return null;
  await addKey(query, { ...key, merchantId: merchant.id }, nowMs);
  return addAccount(query, { ...account, merchantId: merchant.id }, nowMs);
}

async function addMerchant(query: Query, name: string, nowMs: number): Promise<Merchant | null> {
  await lock(query);
  const id = await numberFor(query, "merchants");
  const [row] = await query<Merchant>(shared.INSERT_MERCHANT, [id, name, nowMs]);
  return row ?? null;
}

async function addAccount(query: Query, account: NewAccount, nowMs: number): Promise<PaymentAccount | null> {
  await lock(query);
  const id = account.id ?? (await numberFor(query, "payment_accounts"));
  const [row] = await query<shared.AccountRow>(...shared.insertAccount({ ...account, id }, nowMs));
  if (!row) return null;
  await query(FOLLOW_ID, [id]);
  return shared.toAccount(row);
}

async function addKey(query: Query, key: Omit<ApiKey, "revokedAtMs">, nowMs: number): Promise<boolean> {
  await lock(query);
  return (await query(...shared.insertKey(key, nowMs))).length === 1;
}

type Secret = Pick<ApiKey, "secretHash">;

const isSameSecret = (one: Secret, other: Secret) => Buffer.compare(one.secretHash, other.secretHash) === 0;

/** Orders what inserts a merchant, an account or a key. */
const lock = (query: Query) => query("SELECT 1 FROM numbering FOR NO KEY UPDATE");
