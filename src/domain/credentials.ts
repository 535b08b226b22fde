import { type Random, token } from "./random.ts";

/** What a merchant's server sends with every request (§5). */
export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** A key as momo keeps it: the secret only as a hash. */
export interface ApiKey {
  readonly apiKey: string;
  readonly secretHash: Uint8Array;
  readonly merchantId: number;
  readonly label: string;
  readonly revokedAtMs: number | null;
}

/** A new key (120 random bits) and secret (200 random bits). */
export function createCredentials(random: Random): Credentials {
  return {
    apiKey: `mk_${token(random, 24).toLowerCase()}`,
    apiSecret: `ms_${token(random, 40).toLowerCase()}`,
  };
}

const formOf = (prefix: string, least: number, most: number) => ({
  pattern: new RegExp(`^${prefix}[0-9A-Za-z]{${least},${most}}$`),
  words: `${prefix} and ${least} to ${most} letters and digits`,
});

/** The form of a key and a secret that a person chose. 32 letters and digits are hard to guess. */
export const API_KEY_FORM = formOf("mk_", 16, 64);
export const API_SECRET_FORM = formOf("ms_", 32, 128);

/** SHA-256. A secret of 200 random bits cannot be guessed, so a slow hash would protect nothing and cost every request. */
export function hashSecret(apiSecret: string): Uint8Array {
  return Bun.SHA256.hash(apiSecret) as Uint8Array;
}

const compared = new Uint8Array(32);

/** Compares in constant time. */
export function secretMatches(apiSecret: string, secretHash: Uint8Array): boolean {
  Bun.SHA256.hash(apiSecret, compared);
  return crypto.timingSafeEqual(compared, secretHash);
}
