import { API_KEY_FORM, API_SECRET_FORM, type Credentials, createCredentials } from "../../src/domain/credentials.ts";
import { Refusal } from "../../src/domain/error.ts";
import type { PaymentAccount } from "../../src/domain/merchant.ts";
import { once } from "../../src/domain/once.ts";
import type { Random } from "../../src/domain/random.ts";
import { authenticate, type KeyStore } from "../../src/service/authenticate.ts";
import { FIRST_KEY, type Registry } from "../../src/service/registry.ts";
import type { Environment } from "../environment.ts";
import type { DataDirectory } from "../files/data-directory.ts";
import { type CredentialsRecord, readCredentials, writeCredentials } from "../files/server-record.ts";
import { Failure } from "../terminal/failure.ts";
import { wrongValue } from "../terminal/usage.ts";
import type { Engine } from "./engine.ts";

export interface CredentialsFound {
  /** Null if another server made the key: the database has only the hash of its secret. */
  readonly credentials: CredentialsRecord | null;
  readonly paymentAccountId: number;
}

interface Options {
  readonly random: Random;
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
  // If an answer of the database is lost, the work runs again: the key must be the same.
  const key = once(() => options.firstKey?.() ?? createCredentials(options.random));
  const made = await engine.exclusively(() => findOrMake(key, options, engine, registry));
  if (made.credentials) writeCredentials(directory, made.credentials);
  return made;
}

async function findOrMake(
  key: () => Credentials,
  { accountId }: Options,
  { store, replica }: Engine,
  registry: Registry,
): Promise<CredentialsFound> {
  if ((await store.merchants.findFirstMerchant()) === null) {
    const account = await registry.makeFirst(key(), accountId);
    if (account) return found(recordOf(account, key()));
  }
  const merchant = await registry.firstMerchant();
  const account = await registry.ensureAccount(merchant.id);
  if (replica) {
    const own = recordOf(account, key());
    if (await isInForce(store, own)) return found(own);
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

/**
 * The key that the environment gives to a data directory without one, so that a container's clients know it beforehand.
 * @throws Failure `usage` that names the variable
 */
export function firstKeyOfEnvironment(environment: Environment): Credentials | null {
  const { apiKey, apiSecret } = environment.momo();
  if (apiKey === undefined && apiSecret === undefined) return null;
  if (apiKey === undefined) throw missing("MOMO_API_KEY", "MOMO_API_SECRET");
  if (apiSecret === undefined) throw missing("MOMO_API_SECRET", "MOMO_API_KEY");
  if (!API_KEY_FORM.pattern.test(apiKey)) {
    throw new Failure("usage", wrongValue("MOMO_API_KEY", `must be ${API_KEY_FORM.words}`, apiKey), HINT);
  }
  // The value may be a secret, so it is not shown.
  if (!API_SECRET_FORM.pattern.test(apiSecret)) {
    throw new Failure("usage", `MOMO_API_SECRET must be ${API_SECRET_FORM.words}`, HINT);
  }
  return { apiKey, apiSecret };
}

const HINT = "the first key of a data directory is taken from the environment: unset both variables for a new one";

const missing = (name: string, other: string) =>
  new Failure("usage", `${other} is set, and ${name} is not: the first key needs both`, HINT);

/** Whether a record's key is valid in a database: it exists, is not revoked, and is the merchant's. */
export async function isInForce(store: KeyStore, record: CredentialsRecord): Promise<boolean> {
  try {
    return (await authenticate(store, record.api_key, record.api_secret)) === record.merchant_id;
  } catch (error) {
    // If the database cannot be read, nothing is known about the key.
    if (error instanceof Refusal && error.kind === "unauthorized") return false;
    throw error;
  }
}
