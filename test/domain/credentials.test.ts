import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createCredentials, hashSecret, redact, secretMatches } from "../../src/domain/credentials.ts";
import { token } from "../../src/domain/random.ts";
import { systemRandom } from "../../src/system.ts";
import { seededRandom } from "../support/random.ts";

describe("a new key and its secret", () => {
  test("have 120 and 200 random bits, and are different each time", () => {
    const all = Array.from({ length: 100 }, () => createCredentials(systemRandom));
    for (const { apiKey, apiSecret } of all) {
      expect(apiKey).toMatch(/^mk_[0-9a-hjkmnp-tv-z]{24}$/);
      expect(apiSecret).toMatch(/^ms_[0-9a-hjkmnp-tv-z]{40}$/);
      expect(apiSecret.slice(3)).not.toStartWith(apiKey.slice(3));
    }
    expect(new Set(all.flatMap(({ apiKey, apiSecret }) => [apiKey, apiSecret])).size).toBe(200);
  });

  test("come only from the given random source", () => {
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
    const stored = hashSecret("ms_abc");
    expect(secretMatches("ms_abc", stored)).toBe(true);
    for (const wrong of ["ms_ABC", "ms_abc ", "ms_ab", "", "ms_abcd"]) expect(secretMatches(wrong, stored)).toBe(false);
  });
});

describe("a token has five random bits a character", () => {
  test("every one of the 32 characters occurs, and no I, L, O or U", () => {
    const seen = new Set(token(systemRandom, 4000));
    expect([...seen].sort().join("")).toBe("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  });

  test("it has the requested length", () => {
    for (const length of [0, 1, 12, 39]) expect(token(systemRandom, length)).toHaveLength(length);
  });
});

describe("secrets are redacted however they are written", () => {
  const SECRET = createCredentials(seededRandom(1)).apiSecret;

  const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
  const WAYS: readonly ((character: string) => string)[] = [
    (character) => character,
    (character) => character.toUpperCase(),
    (character) => `%${hex(character)}`,
    (character) => `%${hex(character).toUpperCase()}`,
    (character) => `%25${hex(character)}`,
    (character) => `%u00${hex(character)}`,
    (character) => `\\u00${hex(character)}`,
    (character) => `\\u00${hex(character).toUpperCase()}`,
    (character) => `\\\\u00${hex(character)}`,
    (character) => `\\x${hex(character)}`,
  ];

  test("each character in any way", () => {
    const ways = fc.array(fc.constantFrom(...WAYS), { minLength: SECRET.length, maxLength: SECRET.length });
    fc.assert(
      fc.property(ways, (chosen) => {
        const written = [...SECRET].map((character, index) => chosen[index]?.(character)).join("");
        expect(redact(`?q=${written}&x`)).toBe("?q=[redacted]&x");
      }),
    );
  });

  test.each(["%20", "x%3D", "%253d", "\\n", "\\u0020", '\\"', "x_", "=", "é", "for", "0"])("after %s", (before) => {
    expect(redact(`${before}${SECRET} `)).toBe(`${before}[redacted] `);
  });

  test.each([
    ["abc", ""],
    ["_abc", "_abc"],
    ["é", "é"],
    ["0".repeat(88), ""],
    ["0".repeat(89), "0"],
  ])("before %s", (after, left) => {
    expect(redact(`a ${SECRET}${after}`)).toBe(`a [redacted]${left}`);
  });

  test.each([32, 39, 128])("one of %d characters", (length) => {
    expect(redact(`ms_${"a".repeat(length)}`)).toBe("[redacted]");
  });

  test.each(["items_42 ms_short", `ms_${"a".repeat(31)}`, "ms%5Fshort", "%6d%73%5f"])("%s has no secret", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("a long text with many starts of secrets is fast", () => {
    const text = `ms_${"a".repeat(31)}-`.repeat(20_000) + "%25".repeat(100_000) + "\\".repeat(100_000);
    const startedMs = performance.now();
    expect(redact(text)).toBe(text);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
