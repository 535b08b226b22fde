import { type ApiKey, secretMatches } from "../domain/credentials.ts";
import { Refusal } from "../domain/error.ts";
import type { MerchantStore } from "../store/store.ts";

/** The refusal of a request: for a missing, unknown or revoked key, and for a wrong secret. */
export const INVALID_CREDENTIALS =
  "invalid API credentials: send the headers X-API-Key and X-API-Secret of a key that is not revoked";

/** What knows the keys. */
export interface KeyStore {
  readonly merchants: Pick<MerchantStore, "findKey">;
}

/** Compared for an unknown key, so that the check takes as long as for a wrong secret. */
const NO_HASH = new Uint8Array(32);

/**
 * Finds the merchant of a request (§5).
 * @returns the merchant's id, without a promise if the store has the key in memory
 * @throws Refusal `unauthorized`
 */
export function authenticate(
  { merchants }: KeyStore,
  apiKey: string | null,
  apiSecret: string | null,
): number | Promise<number> {
  const key = apiKey === null ? null : merchants.findKey(apiKey);
  return key instanceof Promise ? key.then((found) => merchantOf(found, apiSecret)) : merchantOf(key, apiSecret);
}

function merchantOf(key: ApiKey | null, apiSecret: string | null): number {
  const matches = secretMatches(apiSecret ?? "", key?.secretHash ?? NO_HASH);
  if (!key || !matches || key.revokedAtMs !== null) {
    throw new Refusal("unauthorized", INVALID_CREDENTIALS);
  }
  return key.merchantId;
}
