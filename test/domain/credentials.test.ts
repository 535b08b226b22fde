import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createCredentials, hashSecret, secretMatches } from "../../src/domain/credentials.ts";
import { token } from "../../src/domain/random.ts";
import { systemRandom } from "../../src/system.ts";
import { seededRandom } from "../support/random.ts";

describe("credentials: key mk_…, secret ms_…", () => {
  test("a key carries 120 random bits and a secret 200", () => {
    const { apiKey, apiSecret } = createCredentials(systemRandom);
    expect(apiKey).toMatch(/^mk_[0-9a-hjkmnp-tv-z]{24}$/);
    expect(apiSecret).toMatch(/^ms_[0-9a-hjkmnp-tv-z]{40}$/);
  });

  test("no two are alike", () => {
    const all = Array.from({ length: 1000 }, () => createCredentials(systemRandom));
    expect(new Set(all.map(({ apiKey }) => apiKey)).size).toBe(1000);
    expect(new Set(all.map(({ apiSecret }) => apiSecret)).size).toBe(1000);
  });

  test("the secret does not follow from the key", () => {
    const { apiKey, apiSecret } = createCredentials(seededRandom(1));
    expect(apiSecret.slice(3)).not.toContain(apiKey.slice(3));
    expect(apiSecret.slice(3, 27)).not.toBe(apiKey.slice(3));
  });

  test("they come from the randomness that is handed in and from nothing else", () => {
    expect(createCredentials(seededRandom(7))).toEqual(createCredentials(seededRandom(7)));
    expect(createCredentials(seededRandom(7))).not.toEqual(createCredentials(seededRandom(8)));
  });
});

describe("only a hash of the secret is stored", () => {
  test("it is SHA-256", () => {
    expect(Buffer.from(hashSecret("abc")).toString("hex")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });

  test("a secret matches its own hash and no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        expect(secretMatches(a, hashSecret(a))).toBe(true);
        expect(secretMatches(b, hashSecret(a))).toBe(a === b);
      }),
    );
  });

  test("letter case, a space and a missing character are differences", () => {
    const stored = hashSecret("ms_abc");
    for (const wrong of ["ms_ABC", "ms_abc ", "ms_ab", "", "ms_abcd"]) expect(secretMatches(wrong, stored)).toBe(false);
  });
});

describe("a token has five random bits a character", () => {
  test("every one of the 32 characters occurs, and no I, L, O or U", () => {
    const seen = new Set(token(systemRandom, 4000));
    expect([...seen].sort().join("")).toBe("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  });

  test("it is as long as asked", () => {
    for (const length of [0, 1, 12, 40]) expect(token(systemRandom, length)).toHaveLength(length);
  });
});
