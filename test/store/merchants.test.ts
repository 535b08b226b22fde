import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hashSecret } from "../../src/domain/credentials.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/folder.ts";
import { rejectionOf } from "../support/rejection.ts";

const inFolder = useFolder();
let store: Store;
beforeEach(async () => {
  store = openStore(inFolder("momo.db"));
  await store.merchants.addMerchant("First", 1);
  await store.merchants.addMerchant("Second", 2);
});
afterEach(() => store.close());

test("merchants are found by id and listed oldest first", async () => {
  expect(await store.merchants.findMerchant(2)).toEqual({ id: 2, name: "Second" });
  expect(await store.merchants.findMerchant(3)).toBeNull();
  expect(await store.merchants.listMerchants()).toEqual([
    { id: 1, name: "First" },
    { id: 2, name: "Second" },
  ]);
});

test("payment accounts keep their tariff until another is set", async () => {
  const tariff = { basisPoints: 150, fixedCents: 1000 };
  const account = { id: 1, merchantId: 1, name: "Main", tariff };
  const other = { id: 2, merchantId: 1, name: "Other", tariff };
  expect(await store.merchants.addPaymentAccount(account, 1)).toEqual(account);
  expect(await store.merchants.addPaymentAccount(other, 1)).toEqual(other);
  await store.merchants.addPaymentAccount({ merchantId: 2, name: "Second's", tariff }, 1);
  expect(await store.merchants.findPaymentAccount(account.id)).toEqual(account);
  expect(await store.merchants.listPaymentAccounts(1)).toEqual([account, other]);
  await store.merchants.setTariff(account.id, { basisPoints: 0, fixedCents: 5 });
  expect((await store.merchants.findPaymentAccount(account.id))?.tariff).toEqual({ basisPoints: 0, fixedCents: 5 });
  expect(await store.merchants.findPaymentAccount(other.id)).toEqual(other);
  expect(await store.merchants.findPaymentAccount(99)).toBeNull();
});

describe("keys", () => {
  const key = { apiKey: "mk_a", secretHash: hashSecret("ms_a"), merchantId: 1, label: "till" };

  test("are found by their exact name", async () => {
    await store.merchants.addKey(key, 1);
    expect(await store.merchants.findKey("mk_a")).toMatchObject({ apiKey: "mk_a", merchantId: 1, revokedAtMs: null });
    expect((await store.merchants.findKey("mk_a"))?.secretHash).toEqual(key.secretHash);
    for (const other of ["mk_A", "mk_", "mk_a ", "", "%"]) expect(await store.merchants.findKey(other)).toBeNull();
  });

  test("are revoked once, and the first time stays", async () => {
    await store.merchants.addKey(key, 1);
    await store.merchants.addKey({ ...key, apiKey: "mk_b" }, 1);
    expect(await store.merchants.revokeKey("mk_a", 5)).toBe(true);
    expect(await store.merchants.revokeKey("mk_a", 6)).toBe(false);
    expect(await store.merchants.revokeKey("mk_c", 6)).toBe(false);
    expect((await store.merchants.listKeys(1)).map(({ apiKey, revokedAtMs }) => [apiKey, revokedAtMs])).toEqual([
      ["mk_a", 5],
      ["mk_b", null],
    ]);
  });

  test("of a merchant that is not there are refused", async () => {
    expect(String(await rejectionOf(store.merchants.addKey({ ...key, merchantId: 9 }, 1)))).toContain("FOREIGN KEY");
  });
});
