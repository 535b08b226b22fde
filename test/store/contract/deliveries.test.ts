import { describe, expect, test } from "bun:test";
import type { Delivery } from "../../../src/domain/delivery.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { CREATED_AT_MS, insertPending, paid } from "../../support/shop.ts";
import { rejectionOf } from "../../support/waiting.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_DELIVERIES = 1000;

const NOW_MS = CREATED_AT_MS + 5000;

const attempt = { atMs: NOW_MS, durationMs: 3, status: 500, answer: "\0 \ud83d", problem: "no" };

onEveryEngine((engine) => {
  const shop = useShop(engine);
  const all = () => shop.store.deliveries.list({ limit: MAX_DELIVERIES + 1 });
  const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

  /** Each outcome is written with deliveries that are due after these durations. */
  function plan(...afterMs: number[]): void {
    const planned = afterMs.map((ms) => ({ form: "flat", endedAtMs: NOW_MS, dueAtMs: NOW_MS + ms }));
    shop.store.deliveries.plan(() => planned);
  }

  /** Ends payments, and returns their ids. */
  async function endPayments(count: number): Promise<number[]> {
    const pending = await Promise.all(Array.from({ length: count }, () => insertPending(shop.store)));
    return (await shop.store.transactions.record(pending.map((one) => paid(one)))).map(({ id }) => id);
  }

  describe("deliveries are written in the commit of the outcome", () => {
    test("by each way to write one; not for a postponed payment, an outcome that comes second, or without a plan", async () => {
      const { transactions, deliveries } = shop.store;
      await endPayments(1);
      plan(0, 7);
      const [first, second, third] = [
        await insertPending(shop.store),
        await insertPending(shop.store),
        await insertPending(shop.store),
      ];
      await transactions.record([paid(first)]);
      await transactions.record([{ ...second, checkAtMs: NOW_MS }]);
      await transactions.record([resolve(first, { status: "failed", resultCode: 1, resultDesc: "no", atMs: NOW_MS })]);
      await transactions.resolveDue(NOW_MS, 1, async () => [paid(third)]);
      deliveries.plan(null);
      await transactions.record([paid(second)]);
      const [stored] = await all();
      expect(stored).toEqual({
        id: expect.any(Number),
        payment: paid(first),
        form: "flat",
        endedAtMs: NOW_MS,
        dueAtMs: NOW_MS,
        attempts: [],
        resendOf: null,
      });
      expect((await all()).map(({ payment, dueAtMs }) => [payment.id, dueAtMs])).toEqual([
        [first.id, NOW_MS],
        [first.id, NOW_MS + 7],
        [third.id, NOW_MS],
        [third.id, NOW_MS + 7],
      ]);
      const ofThird = (await all()).slice(2);
      expect(await deliveries.list({ transactionId: third.id, limit: 9 })).toEqual(ofThird);
      expect(await deliveries.list({ transactionId: third.id, before: ofThird[1]?.id, limit: 9 })).toEqual(
        ofThird.slice(0, 1),
      );
      expect(await deliveries.list({ transactionId: first.id, after: 0, limit: 1 })).toEqual([stored as Delivery]);
    });

    test("not when the commit fails", async () => {
      const [first, second] = [await insertPending(shop.store), await insertPending(shop.store)];
      await shop.store.transactions.record([paid(first, "TAKEN")]);
      plan(0);
      expect(await rejectionOf(shop.store.transactions.record([paid(second, "TAKEN")]))).not.toBeNull();
      expect(await all()).toEqual([]);
    });
  });

  describe("a delivery", () => {
    test("is claimed once when it is due, the earliest first, and again when it was released or saved as waiting", async () => {
      const { deliveries } = shop.store;
      plan(20, 10, 30);
      await endPayments(1);
      const [late, early, last] = idsOf(await all());
      expect(await deliveries.claim(NOW_MS, 5)).toEqual([]);
      expect(await deliveries.nextDueAtMs(NOW_MS)).toBe(NOW_MS + 10);
      const [[claimed], [other]] = [await deliveries.claim(NOW_MS + 20, 1), await deliveries.claim(NOW_MS + 20, 5)];
      expect([claimed?.id, other?.id]).toEqual([early, late]);
      expect(idsOf(await deliveries.claim(NOW_MS + 30, 5))).toEqual([last as number]);
      await deliveries.release(late as number);
      expect(idsOf(await deliveries.claim(NOW_MS + 30, 5))).toEqual([late as number]);
      await deliveries.save({ ...(claimed as Delivery), attempts: [attempt, attempt], dueAtMs: NOW_MS + 99 });
      expect(await deliveries.nextDueAtMs(NOW_MS + 30)).toBe(NOW_MS + 99);
      const [again] = await deliveries.claim(NOW_MS + 99, 1);
      expect(again).toEqual({ ...(claimed as Delivery), attempts: [attempt, attempt], dueAtMs: NOW_MS + 99 });
      await deliveries.save({ ...(again as Delivery), dueAtMs: null });
      expect(await deliveries.nextDueAtMs(NOW_MS + 30)).toBeNull();
    });

    test("is never sent when it was given up, also while it is claimed; a resend is a new one", async () => {
      const { deliveries } = shop.store;
      plan(...Array<number>(5999).fill(0), -1); // a statement gives up 5,000
      await endPayments(1);
      const [claimed] = await deliveries.claim(NOW_MS, 1);
      await deliveries.giveUp();
      await deliveries.save({ ...(claimed as Delivery), dueAtMs: NOW_MS });
      expect(await deliveries.claim(NOW_MS, 5)).toEqual([]);
      const again = await deliveries.resend(claimed?.id ?? 0, NOW_MS + 1);
      const id = expect.any(Number);
      expect<unknown>(again).toEqual({ ...claimed, id, dueAtMs: NOW_MS + 1, attempts: [], resendOf: claimed?.id });
      expect(again?.id).not.toBe(claimed?.id);
      expect(await deliveries.claim(NOW_MS, 5)).toEqual([]);
      expect(await deliveries.claim(NOW_MS + 1, 5)).toEqual([again as Delivery]);
      expect(await deliveries.resend(99_999, NOW_MS)).toBeNull();
      // Only the newest are kept.
      expect(await deliveries.resend((claimed?.id ?? 0) - MAX_DELIVERIES, NOW_MS)).toBeNull();
    });

    test("that waits is not sent when it was sent again: the new one is in its place", async () => {
      const { deliveries } = shop.store;
      plan(10, 20);
      await endPayments(1);
      const [waiting, other] = idsOf(await all()) as [number, number];
      const again = await deliveries.resend(waiting, NOW_MS);
      expect(idsOf(await deliveries.claim(NOW_MS + 20, 5))).toEqual([again?.id ?? 0, other]);
    });

    test("that is under way when it is sent again keeps its attempt", async () => {
      const { deliveries } = shop.store;
      plan(0);
      await endPayments(1);
      const [claimed] = await deliveries.claim(NOW_MS, 1);
      const { id = 0 } = claimed ?? {};
      await deliveries.resend(id, NOW_MS);
      const attempt = { atMs: NOW_MS, durationMs: 1, status: 200, answer: null, problem: null };
      if (claimed) await deliveries.save({ ...claimed, attempts: [attempt], dueAtMs: null });
      expect((await all())[0]).toMatchObject({ id, dueAtMs: null, attempts: [attempt] });
    });

    test.each(["reset", "restore"])("of after a %s does not get the attempt of one from before", async (how) => {
      const { isShared, transactions, deliveries } = shop.store;
      if (how === "restore" && isShared) return; // a shared store keeps no copies
      let pending = await insertPending(shop.store);
      const copy = how === "restore" ? await transactions.save(1) : null;
      plan(0);
      await transactions.record([paid(pending)]);
      const [before] = await deliveries.claim(NOW_MS, 1);
      await (copy ? copy.restore() : transactions.clear());
      if (!copy) pending = await insertPending(shop.store);
      deliveries.plan(() => [{ form: "flat", endedAtMs: NOW_MS + 1, dueAtMs: NOW_MS + 1 }]);
      await transactions.record([paid(pending)]);
      await deliveries.save({ ...(before as Delivery), attempts: [attempt], dueAtMs: null });
      expect(await all()).toMatchObject([{ payment: paid(pending), attempts: [], dueAtMs: NOW_MS + 1 }]);
    });

    test("waits when the database is opened again, and is gone when the transactions are removed", async () => {
      plan(9, 0);
      await endPayments(2);
      const again = await shop.openAnother();
      const [a, b, c, d] = idsOf(await all());
      expect(idsOf(await again.deliveries.claim(NOW_MS + 9, 5))).toEqual([b, d, a, c] as number[]);
      await shop.store.transactions.clear();
      expect(await all()).toEqual([]);
      expect(await shop.store.deliveries.nextDueAtMs(0)).toBeNull();
    });
  });

  test("the newest are listed, from either end; older ones that have ended are removed, those that wait are not", async () => {
    const { deliveries } = shop.store;
    plan(...Array.from({ length: MAX_DELIVERIES + 2 }, () => 0));
    await endPayments(1);
    const claimed = await deliveries.claim(NOW_MS, MAX_DELIVERIES + 2);
    const ids = idsOf(claimed);
    expect(idsOf(await all())).toEqual(ids.slice(2));
    expect(idsOf(await deliveries.list({ limit: 2 }))).toEqual(ids.slice(-2));
    expect(idsOf(await deliveries.list({ before: ids.at(-1), limit: 2 }))).toEqual(ids.slice(-3, -1));
    expect(idsOf(await deliveries.list({ after: ids[4], limit: 2 }))).toEqual(ids.slice(5, 7));
    expect(idsOf(await deliveries.list({ after: 0, limit: 2 }))).toEqual(ids.slice(2, 4));
    for (const delivery of [claimed[0] as Delivery, ...claimed.slice(2, 25)]) {
      await deliveries.save({ ...delivery, dueAtMs: null });
    }
    expect(await deliveries.resend(ids[0] as number, NOW_MS)).toBeNull();
    for (const kept of [ids[1], ids[5]]) expect(await deliveries.resend(kept as number, NOW_MS)).not.toBeNull();
  });

  test("the newest are kept although their ids have gaps, which probes leave", async () => {
    const { store } = shop;
    await store.merchants.addKey({ apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" }, 5);
    plan(0);
    await endPayments(20);
    plan(...Array<number>(MAX_DELIVERIES).fill(0));
    await store.vitals.probe();
    plan(0);
    await endPayments(1);
    await store.deliveries.giveUp();
    expect(await all()).toHaveLength(21);
  });
});
