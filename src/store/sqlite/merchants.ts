import type { ApiKey } from "../../domain/credentials.ts";
import type { Merchant, PaymentAccount } from "../../domain/merchant.ts";
import * as shared from "../merchants.ts";
import type { MerchantStore, NewAccount } from "../store.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { createLookupCache } from "./lookup-cache.ts";
import type { SqliteSql } from "./query.ts";
import type { ReadSnapshot } from "./read-snapshot.ts";

/** Merchants, with their payment accounts and keys. */
export function createMerchantStore(
  { all, read }: SqliteSql,
  readSnapshot: ReadSnapshot,
  commits: Pick<CommitQueue, "run">,
): MerchantStore {
  const keys = createLookupCache(
    readSnapshot,
    (apiKey: string) => all<ApiKey>(shared.KEY_BY_NAME, [apiKey])[0] ?? null,
  );
  const accounts = createLookupCache<number, PaymentAccount>(
    readSnapshot,
    (id) => all<shared.AccountRow>(shared.ACCOUNT_BY_ID, [id]).map(shared.toAccount)[0] ?? null,
  );
  const addMerchant = (name: string, nowMs: number) =>
    all<Merchant>(shared.INSERT_MERCHANT, [null, name, nowMs])[0] ?? null;
  const addAccount = (account: NewAccount, nowMs: number) =>
    all<shared.AccountRow>(...shared.insertAccount(account, nowMs)).map(shared.toAccount)[0] ?? null;
  const addKey = (key: Omit<ApiKey, "revokedAtMs">, nowMs: number) => all(...shared.insertKey(key, nowMs)).length === 1;

  return {
    addFirst: ({ name, account, key }, nowMs) =>
      commits.run(() => {
        if (all(shared.FIRST_MERCHANT).length > 0) return null;
        const merchantId = addMerchant(name, nowMs)?.id ?? 0;
        addKey({ ...key, merchantId }, nowMs);
        const added = addAccount({ ...account, merchantId }, nowMs);
        if (!added) throw new Error("the first merchant could not be stored");
        return added;
      }),
    addMerchant: (name, nowMs) => commits.run(() => addMerchant(name, nowMs)),
    addPaymentAccount: (account, nowMs) => commits.run(() => addAccount(account, nowMs)),
    addKey: (key, nowMs) => commits.run(() => addKey(key, nowMs)),

    revokeKey: (apiKey, nowMs) =>
      commits.run(() => {
        const isRevoked = all(shared.REVOKE_KEY, [apiKey, nowMs]).length === 1;
        if (isRevoked) all(shared.FORGET_OLD_KEYS, [apiKey]);
        keys.forget(apiKey);
        return isRevoked;
      }),

    setTariff: (accountId, { basisPoints, fixedCents }) =>
      commits.run(() => {
        all(shared.SET_TARIFF, [basisPoints, fixedCents, accountId]);
        accounts.forget(accountId);
      }),

    ...shared.createReads(read),
    findKey: keys.find,
    findPaymentAccount: async (id) => accounts.find(id),
  };
}
