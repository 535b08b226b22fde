import type { Database } from "bun:sqlite";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { ApiKey } from "../domain/credentials.ts";
import type { Tariff } from "../domain/fee.ts";
import type { Merchant, PaymentAccount } from "../domain/merchant.ts";
import type { CommitQueue } from "./commit-queue.ts";
import type { Drizzle } from "./database.ts";
import { createLookupCache } from "./lookup-cache.ts";
import { onFirstUse } from "./on-first-use.ts";
import { apiKeys, merchants, paymentAccounts } from "./schema.ts";

export type MerchantStore = ReturnType<typeof createMerchantStore>;

/** Merchants, with their payment accounts and keys. */
export function createMerchantStore(client: Database, drizzle: Drizzle, commits: CommitQueue) {
  const keyByName = onFirstUse(() =>
    drizzle
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.apiKey, sql.placeholder("apiKey")))
      .prepare(),
  );
  const accountById = onFirstUse(() =>
    drizzle
      .select()
      .from(paymentAccounts)
      .where(eq(paymentAccounts.id, sql.placeholder("id")))
      .prepare(),
  );

  const keys = createLookupCache<string, ApiKey>(client, (apiKey) => keyByName().get({ apiKey }) ?? null);
  const accounts = createLookupCache<number, PaymentAccount>(client, (id) => {
    const row = accountById().get({ id });
    return row ? toAccount(row) : null;
  });

  return {
    async addMerchant(name: string, nowMs: number): Promise<Merchant> {
      return commits.run(() => {
        const row = drizzle.insert(merchants).values({ name, createdAtMs: nowMs }).returning().get();
        return { id: row.id, name: row.name };
      });
    },

    async addPaymentAccount(account: Omit<PaymentAccount, "id">, nowMs: number): Promise<PaymentAccount> {
      return commits.run(() => {
        const row = drizzle
          .insert(paymentAccounts)
          .values({
            merchantId: account.merchantId,
            name: account.name,
            feeBasisPoints: account.tariff.basisPoints,
            feeFixedCents: account.tariff.fixedCents,
            createdAtMs: nowMs,
          })
          .returning()
          .get();
        return toAccount(row);
      });
    },

    async addKey(key: Omit<ApiKey, "revokedAtMs">, nowMs: number): Promise<void> {
      await commits.run(() => {
        drizzle
          .insert(apiKeys)
          .values({ ...key, createdAtMs: nowMs })
          .run();
      });
    },

    /** @returns whether there was such a key, not revoked before */
    async revokeKey(apiKey: string, nowMs: number): Promise<boolean> {
      return commits
        .run(() => {
          const revoked = drizzle
            .update(apiKeys)
            .set({ revokedAtMs: nowMs })
            .where(and(eq(apiKeys.apiKey, apiKey), isNull(apiKeys.revokedAtMs)))
            .returning({ id: apiKeys.id })
            .all();
          return revoked.length === 1;
        })
        .finally(keys.clear);
    },

    async setTariff(accountId: number, tariff: Tariff): Promise<void> {
      await commits
        .run(() => {
          drizzle
            .update(paymentAccounts)
            .set({ feeBasisPoints: tariff.basisPoints, feeFixedCents: tariff.fixedCents })
            .where(eq(paymentAccounts.id, accountId))
            .run();
        })
        .finally(accounts.clear);
    },

    async findKey(apiKey: string): Promise<ApiKey | null> {
      return keys.find(apiKey);
    },

    async findPaymentAccount(id: number): Promise<PaymentAccount | null> {
      return accounts.find(id);
    },

    async findMerchant(id: number): Promise<Merchant | null> {
      return (
        drizzle.select({ id: merchants.id, name: merchants.name }).from(merchants).where(eq(merchants.id, id)).get() ??
        null
      );
    },

    /** Oldest first; so are the lists below. */
    async listMerchants(): Promise<Merchant[]> {
      return drizzle
        .select({ id: merchants.id, name: merchants.name })
        .from(merchants)
        .orderBy(asc(merchants.id))
        .all();
    },

    async listPaymentAccounts(merchantId: number): Promise<PaymentAccount[]> {
      return drizzle
        .select()
        .from(paymentAccounts)
        .where(eq(paymentAccounts.merchantId, merchantId))
        .orderBy(asc(paymentAccounts.id))
        .all()
        .map(toAccount);
    },

    async listKeys(merchantId: number): Promise<ApiKey[]> {
      return drizzle.select().from(apiKeys).where(eq(apiKeys.merchantId, merchantId)).orderBy(asc(apiKeys.id)).all();
    },
  };
}

function toAccount(row: typeof paymentAccounts.$inferSelect): PaymentAccount {
  return {
    id: row.id,
    merchantId: row.merchantId,
    name: row.name,
    tariff: { basisPoints: row.feeBasisPoints, fixedCents: row.feeFixedCents },
  };
}
