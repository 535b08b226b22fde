import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { type Caller, type Harness, openHarness } from "../support/harness.ts";
import { rejectionOf } from "../support/waiting.ts";

let harness: Harness;
let caller: Caller;
let other: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
  other = await harness.addCaller("Other shop");
});
afterEach(() => harness.close());

const login = async (apiKey: string | null, apiSecret: string | null) =>
  harness.service.authenticate(apiKey, apiSecret);

test("a key with its secret leads to its merchant", async () => {
  for (const { key, merchantId } of [caller, other]) expect(await login(key.apiKey, key.apiSecret)).toBe(merchantId);
});

test("a merchant may have several keys, and one that is revoked leaves the others", async () => {
  const second = await harness.service.registry.issueKey(caller.merchantId, "second");
  await harness.service.registry.revokeKey(caller.key.apiKey);
  expect(await login(second.apiKey, second.apiSecret)).toBe(caller.merchantId);
  expect(await harness.service.registry.listKeys(caller.merchantId)).toEqual([
    { apiKey: second.apiKey, merchantId: caller.merchantId, label: "second" },
  ]);
});

describe("a wrong key, a wrong secret and a revoked key are refused alike", () => {
  test("with one message, after one hash and one comparison in constant time", async () => {
    const { apiKey, apiSecret } = caller.key;
    const revoked = await harness.service.registry.issueKey(caller.merchantId, "revoked");
    await harness.service.registry.revokeKey(revoked.apiKey);
    const attempts: [string | null, string | null][] = [
      [null, null],
      [apiKey, null],
      [null, apiSecret],
      ["mk_unknown", apiSecret],
      [apiKey, "ms_wrong"],
      [apiKey, `${apiSecret} `],
      [apiKey, apiSecret.toUpperCase()],
      [apiKey.toUpperCase(), apiSecret],
      [apiKey, other.key.apiSecret],
      [apiSecret, apiKey],
      [revoked.apiKey, revoked.apiSecret],
      ["' OR 1=1 --", "' OR 1=1 --"],
    ];
    const hash = spyOn(Bun.SHA256, "hash");
    const compare = spyOn(crypto, "timingSafeEqual");
    const refusals: unknown[] = [];
    for (const [key, secret] of attempts) {
      hash.mockClear();
      compare.mockClear();
      const { kind, message } = (await rejectionOf(login(key, secret))) as { kind: string; message: string };
      refusals.push({ kind, message });
      expect([key, secret, hash.mock.calls.length, compare.mock.calls.length]).toEqual([key, secret, 1, 1]);
    }
    hash.mockRestore();
    compare.mockRestore();
    const [first] = refusals;
    expect(first).toMatchObject({ kind: "unauthorized" });
    for (const refusal of refusals) expect(refusal).toEqual(first);
  });
});

test("the secret itself is nowhere in the database", async () => {
  const { apiKey, apiSecret } = caller.key;
  for (const suffix of ["", "-wal"]) {
    const bytes = Buffer.from(await Bun.file(harness.file + suffix).arrayBuffer());
    expect(bytes.includes(apiSecret)).toBe(false);
    if (suffix === "-wal") expect(bytes.includes(apiKey)).toBe(true);
  }
});
