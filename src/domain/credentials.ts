import { once } from "./once.ts";
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

/** The form of a key and a secret that a person chose. 32 letters and digits are hard to guess. */
export const API_KEY_FORM = /^mk_[0-9A-Za-z]{16,64}$/;
export const API_SECRET_FORM = /^ms_[0-9A-Za-z]{32,128}$/;

/** SHA-256. A secret of 200 random bits cannot be guessed, so a slow hash would protect nothing and cost every request. */
export function hashSecret(apiSecret: string): Uint8Array {
  // Bun's hash: loading node:crypto takes 2 ms of a server's start.
  return Bun.SHA256.hash(apiSecret) as Uint8Array;
}

const compared = new Uint8Array(32);

/** Compares in constant time. */
export function secretMatches(apiSecret: string, secretHash: Uint8Array): boolean {
  Bun.SHA256.hash(apiSecret, compared);
  return crypto.timingSafeEqual(compared, secretHash);
}

/**
 * Removes our secrets from a text that other people read: logs and errors. Each letter of a secret may be percent-encoded, also
 * twice, or be a unicode escape of JSON. The pattern is bounded, so that the search is fast for every text.
 */
export function redact(text: string): string {
  return text.replaceAll(secret(), REDACTED);
}

/** A character as itself or as its code in two hexadecimal digits. */
const written = (character: string, code: string) =>
  `(?:${character}|(?:%(?:25){0,4}(?:u00)?|\\\\{1,8}(?:u00|x))${code})`;

/** Also inside a longer word, because a text can have a secret without a space before or after it. Made at the first use: 0.4 ms. */
const secret = once(() => {
  const characters = written("[0-9a-z]", "(?:3[0-9]|[46][1-9a-f]|[57][0-9a])");
  return new RegExp(`${written("m", "[46]d")}${written("s", "[57]3")}${written("_", "5f")}${characters}{32,128}`, "gi");
});

export const REDACTED = "[redacted]";
