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

/** SHA-256. A secret of 200 random bits cannot be guessed, so a slow hash would protect nothing and cost every request. */
export function hashSecret(apiSecret: string): Uint8Array {
  // Bun's own: node:crypto would keep a server from being ready for two milliseconds.
  return Bun.CryptoHasher.hash("sha256", apiSecret);
}

/** Compares in constant time. */
export function secretMatches(apiSecret: string, secretHash: Uint8Array): boolean {
  return crypto.timingSafeEqual(hashSecret(apiSecret), secretHash);
}

/** Text without the secrets of ours that somebody put into it: for logs and errors, which are read by others. */
export function redact(text: string): string {
  return text.replaceAll(/(?<![0-9a-z])ms_[0-9a-z]{40}(?![0-9a-z])/gi, REDACTED);
}

export const REDACTED = "[redacted]";
