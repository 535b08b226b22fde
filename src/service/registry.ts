import type { Clock } from "../domain/clock.ts";
import { type ApiKey, type Credentials, createCredentials, hashSecret } from "../domain/credentials.ts";
import { invalid, Refusal, whatCame } from "../domain/error.ts";
import {
  MAX_ACCOUNTS,
  MAX_KEYS,
  MAX_MERCHANTS,
  type Merchant,
  type PaymentAccount,
  parseName,
} from "../domain/merchant.ts";
import { DEFAULT_TARIFF, type Tariff } from "../domain/money.ts";
import type { Random } from "../domain/random.ts";
import type { MerchantStore, Store } from "../store/store.ts";

/** A key without its secret, so that it can be shown. */
export interface KnownKey extends Pick<ApiKey, "apiKey" | "merchantId" | "label"> {
  readonly revoked: boolean;
}

/** A new key. Its secret is shown only once. */
export type NewKey = Omit<KnownKey, "revoked"> & Credentials;

interface Parts {
  readonly store: Pick<Store, "merchants">;
  readonly clock: Clock;
  readonly random: Random;
}

const FIRST_ACCOUNT = "Main account";
export const FIRST_KEY = "first key";

/** What is configured outside of the merchant API (§1): merchants, payment accounts and keys. */
export class Registry {
  readonly #merchants: MerchantStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #names = new Map<number, string>();

  constructor({ store, clock, random }: Parts) {
    this.#merchants = store.merchants;
    this.#clock = clock;
    this.#random = random;
  }

  /** @throws Refusal `not_found` */
  async requireMerchant(id: number): Promise<Merchant> {
    const merchant = await this.#merchants.findMerchant(id);
    if (!merchant)
      throw new Refusal("not_found", `there is no merchant ${id}; the list of merchants has those that exist`);
    return merchant;
  }

  /** The name of a merchant, which never changes. */
  async nameOf(merchantId: number): Promise<string> {
    const name = this.#names.get(merchantId) ?? (await this.requireMerchant(merchantId)).name;
    this.#names.set(merchantId, name);
    return name;
  }

  async registerMerchant(name: string): Promise<Merchant> {
    const merchant = await this.#merchants.addMerchant(parseName(name, "name"), this.#clock.nowMs());
    if (!merchant) throw invalid(`there can be at most ${MAX_MERCHANTS} merchants`);
    return merchant;
  }

  /**
   * @param id by default the next one
   * @throws Refusal `conflict` if an account has the id already
   */
  async openAccount(merchantId: number, name: string, tariff?: Tariff | null, id?: number): Promise<PaymentAccount> {
    await this.requireMerchant(merchantId);
    const facts = { id, merchantId, name: parseName(name, "name"), tariff: tariff ?? DEFAULT_TARIFF };
    const account = await this.#merchants.addPaymentAccount(facts, this.#clock.nowMs());
    if (account) return account;
    if (id !== undefined && (await this.hasAccount(id)))
      throw new Refusal("conflict", `there is a payment account ${id} already`);
    throw invalid(`a merchant can have at most ${MAX_ACCOUNTS} payment accounts`);
  }

  /** @param credentials by default new ones; a user can choose the first key */
  async issueKey(
    merchantId: number,
    label: string,
    credentials: Credentials = createCredentials(this.#random),
  ): Promise<NewKey> {
    await this.requireMerchant(merchantId);
    const listing = { apiKey: credentials.apiKey, merchantId, label: parseName(label, "label") };
    const key = { ...listing, secretHash: hashSecret(credentials.apiSecret) };
    if (!(await this.#merchants.addKey(key, this.#clock.nowMs()))) {
      throw invalid(`a merchant can have at most ${MAX_KEYS} keys in force: revoke one first`);
    }
    return { ...listing, ...credentials };
  }

  /** @throws Refusal `not_found` if there is no such key, or it is revoked already */
  async revokeKey(apiKey: string): Promise<void> {
    const revoked = await this.#merchants.revokeKey(apiKey, this.#clock.nowMs());
    if (!revoked) throw noSuchKey();
  }

  /** @throws Refusal `not_found` if there is no such key */
  async ownerOfKey(apiKey: string): Promise<number> {
    const key = await this.#merchants.findKey(apiKey);
    if (!key) throw noSuchKey();
    return key.merchantId;
  }

  /** All keys in force of a merchant, and those that were revoked last. */
  async listKeys(merchantId: number): Promise<KnownKey[]> {
    await this.requireMerchant(merchantId);
    const keys = await this.#merchants.listKeys(merchantId);
    return keys.map(({ apiKey, label, revokedAtMs }) => ({ apiKey, merchantId, label, revoked: revokedAtMs !== null }));
  }

  async listAccounts(merchantId: number): Promise<PaymentAccount[]> {
    await this.requireMerchant(merchantId);
    return this.#merchants.listPaymentAccounts(merchantId);
  }

  async hasAccount(id: number): Promise<boolean> {
    return (await this.#merchants.findPaymentAccount(id)) !== null;
  }

  /** @throws Refusal `invalid` if there is no such account, as for a payment */
  async ownerOfAccount(accountId: number): Promise<number> {
    const account = await this.#merchants.findPaymentAccount(accountId);
    if (!account) throw invalid(`payment_account_id is not the id of a payment account${whatCame(accountId)}`);
    return account.merchantId;
  }

  /** The default merchant: the first. */
  async firstMerchant(): Promise<Merchant> {
    const first = await this.#merchants.findFirstMerchant();
    if (!first) throw new Refusal("not_found", "there is no merchant yet");
    return first;
  }

  /**
   * What a new sandbox needs before its first payment: a merchant with a payment account and a key.
   * @param id of the account, by default 1
   * @returns the account; null if there is another merchant already
   */
  makeFirst({ apiKey, apiSecret }: Credentials, id?: number): Promise<PaymentAccount | null> {
    return this.#merchants.addFirst(
      {
        name: "Demo Shop",
        account: { id, name: FIRST_ACCOUNT, tariff: DEFAULT_TARIFF },
        key: { apiKey, secretHash: hashSecret(apiSecret), label: FIRST_KEY },
      },
      this.#clock.nowMs(),
    );
  }

  /** The first payment account of a merchant; a new one if it has none. */
  async ensureAccount(merchantId: number): Promise<PaymentAccount> {
    const [account = await this.openAccount(merchantId, FIRST_ACCOUNT)] = await this.listAccounts(merchantId);
    return account;
  }

  listMerchants(): Promise<Merchant[]> {
    return this.#merchants.listMerchants();
  }

  setTariff(accountId: number, tariff: Tariff): Promise<void> {
    return this.#merchants.setTariff(accountId, tariff);
  }
}

const noSuchKey = () =>
  new Refusal("not_found", "there is no such key in force; the list of keys has those that exist");
