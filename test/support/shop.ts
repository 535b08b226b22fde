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
