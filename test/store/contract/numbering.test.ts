import { describe, expect, test } from "bun:test";
import type { Store } from "../../../src/store/store.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { identified, insertPending } from "../../support/shop.ts";

const numberOf = async (store: Store) => (await insertPending(store)).id;

onEveryEngine((engine) => {
  const shop = useShop(engine);

  describe("a number is never used twice in a database", () => {
    test("not after a reset, and not after two", async () => {
      expect([await numberOf(shop.store), await numberOf(shop.store)]).toEqual([1, 2]);
      await shop.store.transactions.clear();
      await shop.store.transactions.clear();
      expect([await numberOf(shop.store), await numberOf(shop.store)]).toEqual([3, 4]);
    });

    test("not after a reset, by another process", async () => {
      const last = await numberOf(shop.store);
      await shop.store.transactions.clear();
      expect(await numberOf(await shop.openAnother())).toBeGreaterThan(last);
    });

    test("not by a payment that starts while all are forgotten", async () => {
      const early = await identified(shop.store);
      await Promise.all([shop.store.transactions.clear(), shop.store.transactions.insert(early)]);
      expect(await numberOf(await shop.openAnother())).toBeGreaterThan(early.id);
    });

    test("not where more start at once than one process reserves numbers for", async () => {
      const ids = await Promise.all(Array.from({ length: 2500 }, async () => (await identified(shop.store)).id));
      expect(new Set(ids).size).toBe(2500);
      expect(Math.min(...ids)).toBeGreaterThan(0);
    });
  });
});
