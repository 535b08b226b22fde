import { describe, expect, test } from "bun:test";
import { hashSecret } from "../../../src/domain/credentials.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { rejectionOf } from "../../support/waiting.ts";

onEveryEngine((engine) => {
  const shop = useShop(engine, 2);

  test("merchants are found by id and listed oldest first", async () => {
    const { merchants } = shop.store;
    const [first, second] = [1, 2].map((id) => ({ id, name: `Merchant ${id}` }));
    expect(await merchants.findFirstMerchant()).toEqual(first ?? null);
    expect(await merchants.findMerchant(2)).toEqual(second ?? null);
    expect(await merchants.findMerchant(3)).toBeNull();
    expect(await merchants.listMerchants()).toEqual([first as never, second as never]);
  });

  test("payment accounts are found by id and listed by merchant; a tariff stays until another is set", async () => {
    const { merchants } = shop.store;
    const tariff = { basisPoints: 150, fixedCents: 1000 };
    const account = { id: 3, merchantId: 1, name: "Main", tariff };
    const other = { id: 4, merchantId: 1, name: "Other", tariff };
    for (const added of [account, other]) {
      expect(await merchants.addPaymentAccount({ ...added, id: undefined }, 1)).toEqual(added);
    }
    expect(await merchants.findPaymentAccount(3)).toEqual(account);
    expect((await merchants.listPaymentAccounts(1)).slice(1)).toEqual([account, other]);
    await merchants.setTariff(3, { basisPoints: 0, fixedCents: 5 });
    expect((await merchants.listPaymentAccounts(1)).slice(1).map(({ id }) => id)).toEqual([3, 4]);
    expect(await merchants.findPaymentAccount(3)).toEqual({ ...account, tariff: { basisPoints: 0, fixedCents: 5 } });
    expect(await merchants.findPaymentAccount(4)).toEqual(other);
    expect(await merchants.findPaymentAccount(99)).toBeNull();
  });

  test("the first merchant comes with its account and its key, and there is one", async () => {
    const place = await engine.newPlace();
    const { merchants } = await place.open();
    const account = { id: 50, name: "Main", tariff: { basisPoints: 100, fixedCents: 0 } };
    const key = { apiKey: "mk_first", secretHash: hashSecret("ms_first"), label: "first" };
    const added = await merchants.addFirst({ name: "Shop", account, key }, 1);
    expect(added).toEqual({ ...account, id: 50, merchantId: 1 });
    expect(await merchants.findPaymentAccount(50)).toEqual(added);
    expect(await merchants.findKey("mk_first")).toEqual({ ...key, merchantId: 1, revokedAtMs: null });
    const second = { name: "Second", account: { ...account, id: 51 }, key: { ...key, apiKey: "mk_second" } };
    expect(await merchants.addFirst(second, 1)).toBeNull();
    expect(await merchants.listMerchants()).toEqual([{ id: 1, name: "Shop" }]);
    expect(await merchants.findPaymentAccount(51)).toBeNull();
    expect(await merchants.findKey("mk_second")).toBeNull();
    await place.leave();
  });

  test("an account keeps the id that it is given; a second one with the id is refused, and the next ids follow", async () => {
    const { merchants } = shop.store;
    const tariff = { basisPoints: 0, fixedCents: 0 };
    const given = { id: 2_147_483_647, merchantId: 1, name: "Given", tariff };
    const both = [given, { ...given, merchantId: 2, name: "Other" }];
    const added = await Promise.all(both.map((account) => merchants.addPaymentAccount(account, 1)));
    expect(added.filter((one) => one === null)).toHaveLength(1);
    expect(await merchants.findPaymentAccount(given.id)).toEqual(added.find((one) => one !== null) ?? null);
    const next = await merchants.addPaymentAccount({ merchantId: 1, name: "Next", tariff }, 1);
    expect(next?.id).toBe(given.id + 1);
    await merchants.addPaymentAccount({ ...given, id: 500, name: "Below" }, 1);
    const another = await merchants.addPaymentAccount({ merchantId: 1, name: "Another", tariff }, 1);
    expect(another).toEqual({ id: given.id + 2, merchantId: 1, name: "Another", tariff });
  });

  describe("keys", () => {
    const key = { apiKey: "mk_a", secretHash: hashSecret("ms_a"), merchantId: 1, label: "till" };

    test("are found by their exact name, also if it was looked up before they were made", async () => {
      expect(await shop.store.merchants.findKey("mk_a")).toBeNull();
      await shop.store.merchants.addKey(key, 1);
      expect(await shop.store.merchants.findKey("mk_a")).toEqual({ ...key, revokedAtMs: null });
      for (const other of ["mk_A", "mk_", "mk_a ", "", "%"])
        expect(await shop.store.merchants.findKey(other)).toBeNull();
    });

    test("are revoked once and at once, also if they were just looked up, and the first time stays", async () => {
      const { merchants } = shop.store;
      await merchants.addKey(key, 1);
      await merchants.addKey({ ...key, apiKey: "mk_b" }, 1);
      expect(await merchants.findKey("mk_a")).toMatchObject({ revokedAtMs: null });
      const revoked = [
        await merchants.revokeKey("mk_a", 5),
        await merchants.revokeKey("mk_a", 6),
        await merchants.revokeKey("mk_c", 6),
      ];
      expect(await merchants.findKey("mk_a")).toMatchObject({ revokedAtMs: 5 });
      expect(revoked).toEqual([true, false, false]);
      await merchants.addKey({ ...key, apiKey: "mk_c", merchantId: 2 }, 1);
      expect(await merchants.listKeys(1)).toEqual([
        { ...key, revokedAtMs: 5 },
        { ...key, apiKey: "mk_b", revokedAtMs: null },
      ]);
    });

    test("of a missing merchant are refused", async () => {
      const adding = shop.store.merchants.addKey({ ...key, merchantId: 9 }, 1);
      expect(String(await rejectionOf(adding))).toMatch(/foreign key/i);
    });
  });
});
