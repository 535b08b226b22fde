import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { insertRow, ROWS } from "../store/rows.ts";
import { forEachTest } from "../support/cleanup.ts";
import { addCaller, type Caller, openService, type ServiceScene } from "../support/service.ts";
import { rejectionOf } from "../support/waiting.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_ACCOUNTS = 1000;
const MAX_KEYS = 1000;
const MAX_MERCHANTS = 10_000;
const MAX_REVOKED_KEYS = 1000;

const scene = forEachTest(openService);
let other: Caller;
beforeEach(async () => {
  other = await addCaller(scene.service, "Other shop");
});

const login = async (apiKey: string | null, apiSecret: string | null) => scene.service.authenticate(apiKey, apiSecret);

test("names and labels lose the space around them, and empty ones are refused", async () => {
  const { registry } = scene.service;
  const create = (name: string): Promise<object>[] => [
    registry.registerMerchant(name),
    registry.openAccount(1, name),
    registry.issueKey(1, name),
  ];
  expect(await Promise.all(create(" Duka "))).toMatchObject([{ name: "Duka" }, { name: "Duka" }, { label: "Duka" }]);
  for (const refused of create("  ")) expect(await rejectionOf(refused)).toMatchObject({ kind: "invalid" });
  expect(await registry.listMerchants()).toHaveLength(3);
});

test("the first account of a merchant is used, and a new one if it has none", async () => {
  const { registry } = scene.service;
  await registry.openAccount(1, "Till");
  expect(await registry.ensureAccount(1)).toMatchObject({ id: scene.caller.accountId });
  const { id: merchantId } = await registry.registerMerchant("Duka");
  const account = await registry.ensureAccount(merchantId);
  expect(account).toMatchObject({ merchantId, name: "Main account", tariff: { basisPoints: 100, fixedCents: 0 } });
  expect(await registry.ensureAccount(merchantId)).toEqual(account);
  expect([await registry.hasAccount(account.id), await registry.hasAccount(account.id + 1)]).toEqual([true, false]);
  expect(await registry.ownerOfAccount(account.id)).toBe(merchantId);
});

test("whatever is asked of a merchant that does not exist is not_found", async () => {
  const { registry } = scene.service;
  const asked = [registry.requireMerchant(99), registry.listKeys(99), registry.listAccounts(99)];
  const made = [registry.ensureAccount(99), registry.openAccount(99, "Till"), registry.issueKey(99, "till")];
  for (const refused of [...asked, ...made]) expect(await rejectionOf(refused)).toMatchObject({ kind: "not_found" });
});

test("a wrong key, a wrong secret and a revoked key are refused with one message, after one hash and one comparison in constant time", async () => {
  const { apiKey, apiSecret } = scene.caller.key;
  const revoked = await scene.service.registry.issueKey(scene.caller.merchantId, "revoked");
  await scene.service.registry.revokeKey(revoked.apiKey);
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

test("the secret itself is nowhere in the database", async () => {
  const { apiKey, apiSecret } = scene.caller.key;
  for (const suffix of ["", "-wal"]) {
    const bytes = Buffer.from(await Bun.file(scene.place.file + suffix).arrayBuffer());
    expect(bytes.includes(apiSecret)).toBe(false);
    if (suffix === "-wal") expect(bytes.includes(apiKey)).toBe(true);
  }
});

describe("bounds", () => {
  let full: ServiceScene;

  /** Leaves room for one more merchant, and one more account and key of the shop. */
  beforeAll(async () => {
    full = await openService();
    const database = new Database(full.place.file);
    database.transaction(() => {
      for (let id = 2; id < MAX_MERCHANTS; id++) insertRow(database, "merchants", { ...ROWS.merchants, id });
      for (let id = 2; id < MAX_ACCOUNTS; id++)
        insertRow(database, "payment_accounts", { ...ROWS.payment_accounts, id });
      for (let id = 2; id < MAX_KEYS; id++)
        insertRow(database, "api_keys", { ...ROWS.api_keys, id, api_key: `mk_${id}` });
    })();
    database.close();
  });
  afterAll(() => full.close());

  const refused = async (work: Promise<unknown>, message: string) =>
    expect(await rejectionOf(work)).toMatchObject({ name: "Refusal", kind: "invalid", message });

  /** Of several calls at once, only one gets the last place. */
  async function oneOf(calls: number, call: () => Promise<unknown>): Promise<void> {
    const ends = await Promise.allSettled(Array.from({ length: calls }, call));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  }

  test("there can be at most 10,000 merchants", async () => {
    const { registry } = full.service;
    await oneOf(3, () => registry.registerMerchant("The last"));
    await refused(registry.registerMerchant("One more"), "there can be at most 10000 merchants");
    expect(await registry.listMerchants()).toHaveLength(10_000);
  });

  test("a merchant can have at most 1,000 payment accounts", async () => {
    const { registry } = full.service;
    await oneOf(3, () => registry.openAccount(1, "The last"));
    const bound = "a merchant can have at most 1000 payment accounts";
    await refused(registry.openAccount(1, "One more"), bound);
    const taken = { kind: "conflict", message: "there is a payment account 2 already" };
    expect(await rejectionOf(registry.openAccount(1, "Given", null, 2))).toMatchObject(taken);
    await registry.openAccount(2, "Another merchant's");
  });

  test("a merchant can have at most 1,000 keys in force; a revoked one makes room", async () => {
    const { registry } = full.service;
    await oneOf(3, () => registry.issueKey(1, "The last"));
    const bound = "a merchant can have at most 1000 keys in force: revoke one first";
    await refused(registry.issueKey(1, "One more"), bound);
    await registry.revokeKey("mk_2");
    await registry.issueKey(1, "In its place");
  });

  test("the last 1,000 revoked keys of a merchant are listed; an older one is forgotten, and still refused", async () => {
    const { registry } = full.service;
    const merchantId = 3;
    const key = await registry.issueKey(merchantId, "newest");
    const database = new Database(full.place.file);
    database.transaction(() => {
      for (let count = 0; count < MAX_REVOKED_KEYS; count++) {
        const row = { api_key: `mk_old_${count}`, merchant_id: merchantId, revoked_at_ms: 1000 + count };
        const { id: _, ...others } = ROWS.api_keys;
        insertRow(database, "api_keys", { ...others, ...row });
      }
    })();
    database.close();
    await registry.revokeKey(key.apiKey);
    const listed = (await registry.listKeys(merchantId)).map(({ apiKey }) => apiKey);
    expect(listed).toHaveLength(MAX_REVOKED_KEYS);
    expect(listed).toContain(key.apiKey);
    expect(listed).toContain("mk_old_1");
    expect(listed).not.toContain("mk_old_0");
    expect(await rejectionOf(registry.revokeKey("mk_old_0"))).toMatchObject({ kind: "not_found" });
    // The bound counts for each merchant: this key was revoked before.
    expect(await registry.listKeys(1)).toContainEqual(expect.objectContaining({ apiKey: "mk_2", revoked: true }));
  });
});
