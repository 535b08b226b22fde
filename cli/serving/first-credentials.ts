import type { Credentials } from "../../src/domain/credentials.ts";
import type { PaymentAccount } from "../../src/domain/merchant.ts";
import { FIRST_KEY, type Registry } from "../../src/service/registry.ts";
import type { DataDirectory } from "./data-directory.ts";
import type { Engine } from "./engine.ts";
import { isInForce } from "./in-force.ts";
import { type CredentialsRecord, readCredentials, writeCredentials } from "./records.ts";

export interface CredentialsFound {
  /** Null if another server made the key: the database has only the hash of its secret. */
  readonly credentials: CredentialsRecord | null;
  readonly paymentAccountId: number;
}

interface Options {
  readonly directory: DataDirectory;
  readonly firstKey?: () => Credentials | null;
  readonly accountId?: number | undefined;
}

/**
 * The first merchant's key, payment account and secret: the stored ones if they are still valid, otherwise new ones. Of several
 * servers on one database exactly one makes the first merchant. The others know its key if the environment has it.
 */
export async function ensureCredentials(
  options: Options,
  engine: Engine,
  registry: Registry,
): Promise<CredentialsFound> {
  const { directory } = options;
  const kept = readCredentials(directory);
  if (kept && (await isInForce(engine.store, kept))) return found(kept);
  const made = await engine.exclusively(() => findOrMake(options, engine, registry));
  if (made.credentials) writeCredentials(directory, made.credentials);
  return made;
}

async function findOrMake(
  { firstKey, accountId }: Options,
  { store, replica }: Engine,
  registry: Registry,
): Promise<CredentialsFound> {
  const merchant = await store.merchants.findFirstMerchant();
  const chosen = (merchant === null || replica ? firstKey?.() : null) ?? undefined;
  if (merchant === null) {
    const { account, credentials } = await registry.makeFirst(chosen, accountId);
    return found(recordOf(account, credentials));
  }
  const account = await registry.ensureAccount(merchant.id);
  if (replica) {
    const given = chosen && recordOf(account, chosen);
    if (given && (await isInForce(store, given))) return found(given);
    return { credentials: null, paymentAccountId: account.id };
  }
  return found(recordOf(account, await registry.issueKey(merchant.id, FIRST_KEY)));
}

const recordOf = (account: PaymentAccount, { apiKey, apiSecret }: Credentials): CredentialsRecord => ({
  merchant_id: account.merchantId,
  payment_account_id: account.id,
  api_key: apiKey,
  api_secret: apiSecret,
});

const found = (credentials: CredentialsRecord): CredentialsFound => ({
  credentials,
  paymentAccountId: credentials.payment_account_id,
});
