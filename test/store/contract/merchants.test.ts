import { describe, expect, test } from "bun:test";
import { hashSecret } from "../../../src/domain/credentials.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { rejectionOf } from "../../support/rejection.ts";

onEveryEngine((engine) => {
  const shop = useShop(engine, 2);

  test("merchants are found by id and listed oldest first", async () => {
    expect(await shop.store.merchants.findMerchant(2)).toEqual({ id: 2, name: "Merchant 2" });
    expect(await shop.store.merchants.findMerchant(3)).toBeNull();
    expect(await shop.store.merchants.listMerchants()).toEqual([
      { id: 1, name: "Merchant 1" },
      { id: 2, name: "Merchant 2" },
    ]);
  });

  test("payment accounts keep their tariff until another is set", async () => {
    const tariff = { basisPoints: 150, fixedCents: 1000 };
    const [first] = await shop.store.merchants.listPaymentAccounts(1);
    const account = { id: 3, merchantId: 1, name: "Main", tariff };
    const other = { id: 4, merchantId: 1, name: "Other", tariff };
    expect(await shop.store.merchants.addPaymentAccount(account, 1)).toEqual(account);
    expect(await shop.store.merchants.addPaymentAccount(other, 1)).toEqual(other);
    await shop.store.merchants.addPaymentAccount({ merchantId: 2, name: "Second's", tariff }, 1);
    expect(await shop.store.merchants.findPaymentAccount(account.id)).toEqual(account);
    expect(await shop.store.merchants.listPaymentAccounts(1)).toEqual([first as never, account, other]);
    await shop.store.merchants.setTariff(account.id, { basisPoints: 0, fixedCents: 5 });
    expect((await shop.store.merchants.findPaymentAccount(account.id))?.tariff).toEqual({
      basisPoints: 0,
      fixedCents: 5,
    });
    expect(await shop.store.merchants.findPaymentAccount(other.id)).toEqual(other);
    expect(await shop.store.merchants.findPaymentAccount(99)).toBeNull();
  });

  describe("keys", () => {
    const key = { apiKey: "mk_a", secretHash: hashSecret("ms_a"), merchantId: 1, label: "till" };

    test("are found by their exact name", async () => {
      await shop.store.merchants.addKey(key, 1);
      expect(await shop.store.merchants.findKey("mk_a")).toMatchObject({
        apiKey: "mk_a",
        merchantId: 1,
        revokedAtMs: null,
      });
      expect((await shop.store.merchants.findKey("mk_a"))?.secretHash).toEqual(key.secretHash);
      for (const other of ["mk_A", "mk_", "mk_a ", "", "%"])
        expect(await shop.store.merchants.findKey(other)).toBeNull();
    });

    test("are revoked once, and the first time stays", async () => {
      await shop.store.merchants.addKey(key, 1);
      await shop.store.merchants.addKey({ ...key, apiKey: "mk_b" }, 1);
      expect(await shop.store.merchants.revokeKey("mk_a", 5)).toBe(true);
      expect(await shop.store.merchants.revokeKey("mk_a", 6)).toBe(false);
      expect(await shop.store.merchants.revokeKey("mk_c", 6)).toBe(false);
      expect((await shop.store.merchants.listKeys(1)).map(({ apiKey, revokedAtMs }) => [apiKey, revokedAtMs])).toEqual([
        ["mk_a", 5],
        ["mk_b", null],
      ]);
    });

    test("of a merchant that is not there are refused", async () => {
      expect(String(await rejectionOf(shop.store.merchants.addKey({ ...key, merchantId: 9 }, 1)))).toMatch(
        /foreign key/i,
      );
    });
  });
});
