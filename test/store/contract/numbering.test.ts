import { expect, test } from "bun:test";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { identified, insertPending } from "../../support/shop.ts";

onEveryEngine((engine) => {
  const shop = useShop(engine);
  const nextNumber = async (store = shop.store) => (await insertPending(store)).id;

  test("numbers start at 1 and continue after resets, also in another process", async () => {
    expect([await nextNumber(), await nextNumber()]).toEqual([1, 2]);
    await shop.store.transactions.clear();
    await shop.store.transactions.clear();
    expect(await nextNumber()).toBe(3);
    await shop.store.transactions.clear();
    expect(await nextNumber(await shop.openAnother())).toBeGreaterThan(3);
  });

  test("a payment that starts during a reset keeps its number", async () => {
    const early = await identified(shop.store);
    await Promise.all([shop.store.transactions.clear(), shop.store.transactions.insert(early)]);
    expect(await nextNumber(await shop.openAnother())).toBeGreaterThan(early.id);
  });

  test("more payments at once than a process reserves numbers for have different numbers", async () => {
    const ids = await Promise.all(Array.from({ length: 2500 }, async () => (await identified(shop.store)).id));
    expect(new Set(ids).size).toBe(2500);
    expect(Math.min(...ids)).toBeGreaterThan(0);
  });
});
