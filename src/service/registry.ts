import type { Clock } from "../domain/clock.ts";
import { type Credentials, createCredentials, hashSecret } from "../domain/credentials.ts";
import { invalid, Refusal } from "../domain/error.ts";
import { DEFAULT_TARIFF, type Tariff } from "../domain/fee.ts";
import {
  MAX_ACCOUNTS,
  MAX_KEYS,
  MAX_MERCHANTS,
  type Merchant,
  type PaymentAccount,
  parseName,
} from "../domain/merchant.ts";
import type { Random } from "../domain/random.ts";
import type { Store } from "../store/store.ts";

/** A key as it may be shown: without its secret. */
export interface KeyListing {
  readonly apiKey: string;
  readonly merchantId: number;
  readonly label: string;
}

/** A key, in force or revoked. */
export interface KnownKey extends KeyListing {
  readonly revoked: boolean;
}

/** A new key. Its secret is shown only once. */
export type NewKey = KeyListing & Credentials;

export type Registry = ReturnType<typeof createRegistry>;

/** What merchants configure outside of the API (§1): themselves, payment accounts and keys. */
export function createRegistry(parts: { store: Pick<Store, "merchants">; clock: Clock; random: Random }) {
  const { store, clock, random } = parts;

  /** @throws Refusal `not_found` */
  async function requireMerchant(id: number): Promise<Merchant> {
    const merchant = await store.merchants.findMerchant(id);
    if (!merchant)
      throw new Refusal("not_found", `there is no merchant ${id}; the list of merchants has those that exist`);
    return merchant;
  }

  async function registerMerchant(name: string): Promise<Merchant> {
    const merchant = await store.merchants.addMerchant(parseName(name, "name"), clock.nowMs());
    if (!merchant) throw invalid(`there can be at most ${MAX_MERCHANTS} merchants`);
    return merchant;
  }

  async function openAccount(
    merchantId: number,
    name: string,
    tariff: Tariff = DEFAULT_TARIFF,
  ): Promise<PaymentAccount> {
    const merchant = await requireMerchant(merchantId);
    const facts = { merchantId: merchant.id, name: parseName(name, "name"), tariff };
    const account = await store.merchants.addPaymentAccount(facts, clock.nowMs());
    if (!account) throw invalid(`a merchant can have at most ${MAX_ACCOUNTS} payment accounts`);
    return account;
  }

  /** @param credentials those that somebody chose; by default new ones */
  async function issueKey(
    merchantId: number,
    label: string,
    credentials: Credentials = createCredentials(random),
  ): Promise<NewKey> {
    const merchant = await requireMerchant(merchantId);
    const listing = { apiKey: credentials.apiKey, merchantId: merchant.id, label: parseName(label, "label") };
    const key = { ...listing, secretHash: hashSecret(credentials.apiSecret) };
    if (!(await store.merchants.addKey(key, clock.nowMs()))) {
      throw invalid(`a merchant can have at most ${MAX_KEYS} keys in force: revoke one first`);
    }
    return { ...listing, ...credentials };
  }

  /** @throws Refusal `not_found` where there is no such key, or it is revoked already */
  async function revokeKey(apiKey: string): Promise<void> {
    const revoked = await store.merchants.revokeKey(apiKey, clock.nowMs());
    if (!revoked)
      throw new Refusal("not_found", "there is no such key in force; the list of keys has those that exist");
  }

  /** Every key of a merchant, also those that were revoked last. */
  async function listAllKeys(merchantId: number): Promise<KnownKey[]> {
    await requireMerchant(merchantId);
    const keys = await store.merchants.listKeys(merchantId);
    return keys.map(({ apiKey, label, revokedAtMs }) => ({ apiKey, merchantId, label, revoked: revokedAtMs !== null }));
  }

  /** The keys in force. */
  async function listKeys(merchantId: number): Promise<KeyListing[]> {
    const keys = await listAllKeys(merchantId);
    return keys.filter(({ revoked }) => !revoked).map(({ revoked: _, ...listing }) => listing);
  }

  async function listAccounts(merchantId: number): Promise<PaymentAccount[]> {
    await requireMerchant(merchantId);
    return store.merchants.listPaymentAccounts(merchantId);
  }

  /** @throws Refusal `invalid` where there is no such account, like the payment that asks for it */
  async function ownerOfAccount(accountId: number): Promise<number> {
    const account = await store.merchants.findPaymentAccount(accountId);
    if (!account) throw invalid("payment_account_id is not the id of a payment account");
    return account.merchantId;
  }

  /** The default merchant: the first. */
  async function firstMerchant(): Promise<Merchant> {
    const first = await store.merchants.findFirstMerchant();
    if (!first) throw new Refusal("not_found", "there is no merchant yet");
    return first;
  }

  /** What a new sandbox needs before its first payment: a merchant with a payment account. */
  async function ensureFirstAccount(): Promise<PaymentAccount> {
    const [merchant = await registerMerchant("Demo Shop")] = await store.merchants.listMerchants();
    const [account = await openAccount(merchant.id, "Main account")] = await listAccounts(merchant.id);
    return account;
  }

  return {
    requireMerchant,
    registerMerchant,
    openAccount,
    issueKey,
    revokeKey,
    listKeys,
    listAllKeys,
    listAccounts,
    ownerOfAccount,
    listMerchants: () => store.merchants.listMerchants(),
    firstMerchant,
    ensureFirstAccount,
    setTariff: (accountId: number, tariff: Tariff) => store.merchants.setTariff(accountId, tariff),
  };
}
