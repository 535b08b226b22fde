import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Caller, type Harness, openHarness } from "../support/harness.ts";

let harness: Harness;
let caller: Caller;
let other: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
  other = await harness.addCaller("Other shop");
});
afterEach(() => harness.close());

const login = (apiKey: string | null, apiSecret: string | null) => harness.service.authenticate(apiKey, apiSecret);

test("a key with its own secret is its merchant's", async () => {
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

describe("wrong key, wrong secret and revoked answer alike", () => {
  test("in kind and in words", async () => {
    const { apiKey, apiSecret } = caller.key;
    const revoked = await harness.service.registry.issueKey(caller.merchantId, "revoked");
    await harness.service.registry.revokeKey(revoked.apiKey);
    const attempts: [string | null, string | null][] = [
      [null, null],
      [apiKey, null],
      [null, apiSecret],
      ["", ""],
      ["mk_unknown", apiSecret],
      [apiKey, "ms_wrong"],
      [apiKey, ""],
      [apiKey, `${apiSecret} `],
      [apiKey, apiSecret.toUpperCase()],
      [apiKey.toUpperCase(), apiSecret],
      [apiKey, other.key.apiSecret],
      [apiSecret, apiKey],
      [revoked.apiKey, revoked.apiSecret],
      [revoked.apiKey, "ms_wrong"],
      ["' OR 1=1 --", "' OR 1=1 --"],
    ];
    const refusals = await Promise.all(
      attempts.map(([key, secret]) =>
        login(key, secret).then(
          (merchantId) => ({ merchantId }),
          ({ kind, message }: { kind: string; message: string }) => ({ kind, message }),
        ),
      ),
    );
    const [first] = refusals;
    expect(first).toMatchObject({ kind: "unauthorized" });
    for (const refusal of refusals) expect(refusal).toEqual(first as typeof refusal);
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
