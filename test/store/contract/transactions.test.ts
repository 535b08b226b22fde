import { describe, expect, test } from "bun:test";
import { receiptNumber } from "../../../src/domain/identifiers.ts";
import type { Msisdn } from "../../../src/domain/phone.ts";
import { RESULT_CODES } from "../../../src/domain/result-codes.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import type { PendingTransaction, TransactionFacts } from "../../../src/domain/transaction.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { nextTurn } from "../../support/next-turn.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import { rejectionOf } from "../../support/rejection.ts";
import { identified, insertPending } from "../../support/shop.ts";

const pay = (pending: PendingTransaction, receipt: string) => resolve(pending, paidAt(CREATED_AT_MS + 5, receipt));
const cancel = (pending: PendingTransaction) =>
  resolve(pending, { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: CREATED_AT_MS + 5 });
onEveryEngine((engine) => {
  const shop = useShop(engine, 2);
  const find = ({ checkoutRequestId }: TransactionFacts) =>
    shop.store.transactions.findByCheckoutRequestId(checkoutRequestId);

  describe("a transaction", () => {
    test("is found as it was stored, and still is when the database is opened again", async () => {
      const pending = await insertPending(shop.store, {
        merchantId: 2,
        paymentAccountId: 2,
        kind: "wallet_deposit",
        reference: "Odrer 'ÉÈ' \" % _ \\ \n \0\u0001\u0002 😀",
        description: "x".repeat(182),
      });
      expect(await find(pending)).toEqual(pending);
      const again = await shop.openAnother();
      expect(await again.transactions.findByCheckoutRequestId(pending.checkoutRequestId)).toEqual(pending);
    });

    test("is numbered from 1 and upwards", async () => {
      const stored = await Promise.all([
        insertPending(shop.store),
        insertPending(shop.store),
        insertPending(shop.store),
      ]);
      expect(stored.map(({ id }) => id)).toEqual([1, 2, 3]);
    });

    test("is found by its whole identifier in its own letter case", async () => {
      const { checkoutRequestId, merchantRequestId } = await insertPending(shop.store);
      const last = checkoutRequestId.endsWith("0") ? "1" : "0";
      for (const other of [
        "",
        checkoutRequestId.slice(0, -1),
        checkoutRequestId.slice(0, -1) + last,
        checkoutRequestId.replace("20112026100000", "20112026100001"),
        merchantRequestId,
        merchantRequestId.replace("ws_MR", "ws_CO"),
        `${checkoutRequestId} `,
        checkoutRequestId.toLowerCase(),
        "ws_CO_%",
      ]) {
        expect(await shop.store.transactions.findByCheckoutRequestId(other)).toBeNull();
      }
    });

    test("that is asked for again and again is found as it stands: here, elsewhere, and after all are forgotten", async () => {
      const [here, elsewhere] = [await insertPending(shop.store), await insertPending(shop.store)];
      for (const pending of [here, elsewhere]) {
        expect(await find(pending)).toEqual(pending);
        expect(await find(pending)).toEqual(pending);
      }
      await shop.store.transactions.record([cancel(here)]);
      expect(await find(here)).toEqual(cancel(here));
      const other = await shop.openAnother();
      await other.transactions.record([cancel(elsewhere)]);
      await nextTurn();
      expect(await find(elsewhere)).toEqual(cancel(elsewhere));
      await shop.store.transactions.clear();
      expect(await find(elsewhere)).toBeNull();
    });

    test("with a number that another one has is refused, and the other stays", async () => {
      const first = await insertPending(shop.store);
      const twin = shop.store.transactions.insert({ ...(await identified(shop.store)), id: first.id });
      expect(String(await rejectionOf(twin))).toContain("UNIQUE");
      expect(await find(first)).toEqual(first);
    });
  });

  test("the payments that completed last, of all phones, and of one that pays seldom or often", async () => {
    const [seldom, often] = ["254700000001" as Msisdn, "254700000002" as Msisdn];
    const started = [seldom, ...Array.from({ length: 1500 }, () => often), seldom];
    const pending = await Promise.all(
      started.map((phone, n) => insertPending(shop.store, { phone, merchantId: 1 + (n % 2) })),
    );
    const completed = (one: PendingTransaction, atMs: number) =>
      resolve(one, paidAt(CREATED_AT_MS + atMs, `R${one.id}`));
    // The first one last, and some at once; the second does not pay.
    await shop.store.transactions.record(
      pending.map((one, n) => (n === 1 ? cancel(one) : completed(one, n === 0 ? 9000 : 1000 + Math.floor(n / 2)))),
    );
    const idsOf = async (limit: number, phone?: Msisdn) =>
      (await shop.store.transactions.listPaid(limit, phone)).map(({ id }) => pending.findIndex((one) => one.id === id));
    expect(await idsOf(4)).toEqual([0, 1501, 1500, 1499]);
    expect(await idsOf(9, seldom)).toEqual([0, 1501]);
    expect(await idsOf(3, often)).toEqual([1500, 1499, 1498]);
    expect(await idsOf(2000, often)).toHaveLength(1499);
    expect(await idsOf(9, "254700000003" as Msisdn)).toEqual([]);
  });

  describe("the first outcome wins, a later one changes nothing", () => {
    test("in two calls", async () => {
      const pending = await insertPending(shop.store);
      const paid = pay(pending, "R1");
      expect(await shop.store.transactions.record([paid])).toEqual([paid]);
      expect(await shop.store.transactions.record([cancel(pending)])).toEqual([]);
      expect(await shop.store.transactions.record([pay(pending, "R2")])).toEqual([]);
      expect(await shop.store.transactions.record([{ ...pending, checkAtMs: pending.expiresAtMs }])).toEqual([]);
      expect(await find(pending)).toEqual(paid);
    });

    test("in two calls at once, and within one", async () => {
      const [a, b] = [await insertPending(shop.store), await insertPending(shop.store)];
      const answers = await Promise.all([
        shop.store.transactions.record([cancel(a), pay(b, "R1"), cancel(b)]),
        shop.store.transactions.record([pay(a, "R2")]),
      ]);
      expect(answers.map((changed) => changed.map(({ id }) => id))).toEqual([[a.id, b.id], []]);
      expect(await find(a)).toEqual(cancel(a));
      expect(await find(b)).toEqual(pay(b, "R1"));
    });

    test("an outcome touches its own transaction alone", async () => {
      const [a, b] = [await insertPending(shop.store), await insertPending(shop.store)];
      await shop.store.transactions.record([cancel(a)]);
      expect(await find(b)).toEqual(b);
    });

    test("a transaction that is put off stays pending, with its memo", async () => {
      const pending = await insertPending(shop.store);
      await shop.store.transactions.record([{ ...pending, checkAtMs: CREATED_AT_MS + 9000 }]);
      expect(await find(pending)).toEqual({ ...pending, checkAtMs: CREATED_AT_MS + 9000 });
    });
  });

  describe("the database is the schedule", () => {
    const at = async (afterMs: number) => {
      const pending = await insertPending(shop.store);
      await shop.store.transactions.record([{ ...pending, checkAtMs: CREATED_AT_MS + afterMs }]);
      return pending.id;
    };
    const due = async (afterMs: number, limit = 10) => {
      let taken: readonly PendingTransaction[] = [];
      const resolved = await shop.store.transactions.resolveDue(CREATED_AT_MS + afterMs, limit, async (pending) => {
        taken = pending;
        return [];
      });
      expect(resolved).toEqual([]);
      return taken.map(({ id }) => id);
    };

    test("what is due is listed in the order in which it fell due, at most so many", async () => {
      const [late, early, same, later] = [await at(3000), await at(1000), await at(3000), await at(3001)];
      expect(await due(999)).toEqual([]);
      expect(await due(1000)).toEqual([early]);
      expect(await due(3000)).toEqual([early, late, same]);
      expect(await due(9999)).toEqual([early, late, same, later]);
      expect(await due(9999, 2)).toEqual([early, late]);
    });

    test("the next check is the earliest; none while nothing is pending", async () => {
      expect(await shop.store.transactions.nextCheckAtMs()).toBeNull();
      await at(3000);
      await at(1000);
      expect(await shop.store.transactions.nextCheckAtMs()).toBe(CREATED_AT_MS + 1000);
      const changed = await shop.store.transactions.resolveDue(CREATED_AT_MS + 9999, 10, async (all) =>
        all.map(cancel),
      );
      expect(changed.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
      expect(await shop.store.transactions.nextCheckAtMs()).toBeNull();
      expect(await due(9999)).toEqual([]);
    });

    test("so are those of a phone, whether it has few payments or many", async () => {
      const [seldom, often] = ["254700000001", "254700000002"] as [Msisdn, Msisdn];
      const started = await Promise.all(
        [seldom, ...Array.from({ length: 1500 }, () => often), seldom].map((phone) =>
          insertPending(shop.store, { phone }),
        ),
      );
      await shop.store.transactions.record(started.slice(2, 1499).map(cancel));
      const idsOf = async (limit: number, phone?: Msisdn) =>
        (await shop.store.transactions.listPending(limit, phone)).map(({ id }) =>
          started.findIndex((one) => one.id === id),
        );
      expect(await idsOf(9, seldom)).toEqual([0, 1501]);
      expect(await idsOf(9, often)).toEqual([1, 1499, 1500]);
      expect(await idsOf(2, often)).toEqual([1, 1499]);
      expect(await idsOf(9, "254700000003" as Msisdn)).toEqual([]);
    });

    test("the open prompts are listed oldest first, at most so many", async () => {
      const [a, b, c] = [
        await insertPending(shop.store),
        await insertPending(shop.store),
        await insertPending(shop.store),
      ];
      await shop.store.transactions.record([cancel(b)]);
      expect(await shop.store.transactions.listPending(10)).toEqual([a, c]);
      expect(await shop.store.transactions.listPending(1)).toEqual([a]);
    });
  });

  test("the newest transaction with exactly this reference is found, whoever's it is", async () => {
    await insertPending(shop.store, { reference: "Order-1" });
    const newest = await insertPending(shop.store, { reference: "Order-1", merchantId: 2, paymentAccountId: 2 });
    await insertPending(shop.store, { reference: "order-1" });
    await insertPending(shop.store, { reference: "Order-10" });
    await insertPending(shop.store);
    expect(await shop.store.transactions.findByReference("Order-1")).toEqual(newest);
    expect(await shop.store.transactions.findByReference("ORDER-1")).toBeNull();
    expect(await shop.store.transactions.findByReference("Order")).toBeNull();
  });

  test("what became of a transaction that was forgotten changes no other, and its number is not given again", async () => {
    const forgotten = await insertPending(shop.store);
    const [, other, changed] = await Promise.all([
      shop.store.transactions.clear(),
      insertPending(shop.store),
      shop.store.transactions.record([pay(forgotten, "R1")]),
    ]);
    expect(other.id).toBe(forgotten.id + 1);
    expect(changed).toEqual([]);
    expect(await shop.store.transactions.listPending(10)).toEqual([other]);
  });

  test("a receipt number and a result text are kept, whether they derive from the rest or a provider chose them", async () => {
    const [derived, chosen] = [await insertPending(shop.store), await insertPending(shop.store)];
    const atMs = CREATED_AT_MS + 5;
    const finals = [
      resolve(derived, { ...paidAt(atMs, receiptNumber(atMs, derived.id)), resultDesc: RESULT_CODES[0] }),
      resolve(chosen, paidAt(atMs, receiptNumber(atMs + 86_400_000, chosen.id))),
    ];
    await shop.store.transactions.record(finals);
    expect(await Promise.all([derived, chosen].map(find))).toEqual(finals);
  });

  test("when transactions are forgotten, merchants stay, and counting starts again", async () => {
    const pending = await insertPending(shop.store);
    await shop.store.transactions.record([pay(pending, "R1")]);
    await shop.store.transactions.clear();
    expect(await find(pending)).toBeNull();
    const { rows, summary } = await shop.store.transactionList.list(1, {}, { number: 1, limit: 10 });
    expect([rows, summary.totalItems, summary.completedAmountCents]).toEqual([[], 0, 0]);
    expect(await shop.store.merchants.listMerchants()).toHaveLength(2);
    await insertPending(shop.store);
    expect((await shop.store.transactionList.list(1, {}, { number: 1, limit: 10 })).summary.totalItems).toBe(1);
  });
});
