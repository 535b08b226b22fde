import { describe, expect, test } from "bun:test";
import { receiptNumber } from "../../../src/domain/identifiers.ts";
import { RESULT_CODES } from "../../../src/domain/outcome.ts";
import type { Msisdn } from "../../../src/domain/phone.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import type { PendingTransaction, TransactionFacts } from "../../../src/domain/transaction.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { CREATED_AT_MS, cancelled, identified, insertPending, paid, paidAt } from "../../support/shop.ts";
import { nextTurn, rejectionOf } from "../../support/waiting.ts";

const putOff = (pending: PendingTransaction, byMs: number) => ({ ...pending, checkAtMs: CREATED_AT_MS + byMs });

onEveryEngine((engine) => {
  const shop = useShop(engine, 2);
  const find = async ({ checkoutRequestId }: TransactionFacts) =>
    shop.store.transactions.findByCheckoutRequestId(checkoutRequestId);
  const insertTwo = async () => [await insertPending(shop.store), await insertPending(shop.store)] as const;

  describe("a transaction", () => {
    test("is found as it was stored, and still is when the database is opened again", async () => {
      const facts = await identified(shop.store, {
        merchantId: 2,
        paymentAccountId: 2,
        kind: "wallet_deposit",
        reference: "Odrer 'ÉÈ' \" % _ \\ \n \0\u0001\u0002 😀",
        description: `\0\u0001${"x".repeat(180)}`,
      });
      const pending = { ...facts, memo: "a memo \0\u0001" };
      await shop.store.transactions.insert(pending);
      expect(await find(pending)).toEqual(pending);
      const again = await shop.openAnother();
      expect(await again.transactions.findByCheckoutRequestId(pending.checkoutRequestId)).toEqual(pending);
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

    test("that is cached is never stale: after changes here, in another process, and after a reset", async () => {
      const [here, elsewhere] = await insertTwo();
      expect(await Promise.all([here, elsewhere].map(find))).toEqual([here, elsewhere]);
      await shop.store.transactions.record([cancelled(here)]);
      expect(await find(here)).toEqual(cancelled(here));
      const other = await shop.openAnother();
      await other.transactions.record([cancelled(elsewhere)]);
      await nextTurn();
      expect(await find(elsewhere)).toEqual(cancelled(elsewhere));
      await shop.store.transactions.clear();
      expect(await find(elsewhere)).toBeNull();
    });

    test("with the number of another one is refused, and the other stays", async () => {
      const first = await insertPending(shop.store);
      const twin = shop.store.transactions.insert({ ...(await identified(shop.store)), id: first.id });
      expect(String(await rejectionOf(twin))).toContain("UNIQUE");
      expect(await find(first)).toEqual(first);

      const other = { ...first, ...(await identified(shop.store)) };
      const both = await Promise.allSettled([other, other].map((one) => shop.store.transactions.insert(one)));
      expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      expect(await find(other)).toEqual(other);
    });

    test("has the receipt number and the result text that were recorded, whether they derive from the rest or not", async () => {
      const [derived, chosen] = await insertTwo();
      const odd = await insertPending(shop.store);
      const atMs = CREATED_AT_MS + 5;
      const finals = [
        resolve(derived, { ...paidAt(atMs, receiptNumber(atMs, derived.id)), resultDesc: RESULT_CODES[0].text }),
        paid(chosen, receiptNumber(atMs + 86_400_000, chosen.id)),
        resolve(odd, { ...paidAt(atMs, "R_1"), resultDesc: "\u0001\0 paid" }),
      ];
      await shop.store.transactions.record(finals);
      expect(await Promise.all([derived, chosen, odd].map(find))).toEqual(finals);
    });

    test("is found by exactly its reference: the newest, of any merchant", async () => {
      await insertPending(shop.store, { reference: "Order-1" });
      const newest = await insertPending(shop.store, { reference: "Order-1", merchantId: 2, paymentAccountId: 2 });
      for (const reference of ["order-1", "Order-10", null]) await insertPending(shop.store, { reference });
      expect(await shop.store.transactions.findByReference("Order-1")).toEqual(newest);
      expect(await shop.store.transactions.findByReference("ORDER-1")).toBeNull();
      expect(await shop.store.transactions.findByReference("Order")).toBeNull();
      // So many that they are not looked up one by one.
      const many = Array.from({ length: 1001 }, () => insertPending(shop.store, { reference: "Order-1" }));
      const last = Math.max(...(await Promise.all(many)).map(({ id }) => id));
      expect(await shop.store.transactions.findByReference("Order-1")).toMatchObject({ id: last });
    });
  });

  describe("the first outcome wins, a later one changes nothing", () => {
    test("in several calls; to put a payment off is not an outcome", async () => {
      const { transactions } = shop.store;
      const pending = await insertPending(shop.store);
      expect(await transactions.record([putOff(pending, 9000)])).toEqual([putOff(pending, 9000)]);
      expect(await find(pending)).toEqual(putOff(pending, 9000));
      const first = paid(pending, "R1");
      expect(await transactions.record([first])).toEqual([first]);
      for (const later of [cancelled(pending), paid(pending, "R2"), putOff(pending, 9500)]) {
        expect(await transactions.record([later])).toEqual([]);
      }
      expect(await find(pending)).toEqual(first);
    });

    test("in two calls at once, and within one", async () => {
      const [a, b] = await insertTwo();
      const untouched = await insertPending(shop.store);
      const answers = await Promise.all([
        shop.store.transactions.record([cancelled(a), paid(b, "R1"), cancelled(b)]),
        shop.store.transactions.record([paid(a, "R2")]),
      ]);
      expect(answers.map((changed) => changed.map(({ id }) => id))).toEqual([[a.id, b.id], []]);
      expect(await Promise.all([a, b, untouched].map(find))).toEqual([cancelled(a), paid(b, "R1"), untouched]);
    });
  });

  describe("the database is the schedule", () => {
    const due = async (afterMs: number, limit = 10) => {
      let found: readonly PendingTransaction[] = [];
      const resolved = await shop.store.transactions.resolveDue(CREATED_AT_MS + afterMs, limit, async (pending) => {
        found = pending;
        return [];
      });
      expect(resolved).toEqual([]);
      return found.map(({ id }) => id);
    };

    test("due transactions are resolved in the order of their due times, up to a limit; the next check is the earliest", async () => {
      const { transactions } = shop.store;
      expect(await transactions.nextCheckAtMs()).toBeNull();
      const pending = [...(await insertTwo()), ...(await insertTwo())];
      const afterMs = [3000, 1000, 3000, 3001];
      await transactions.record(pending.map((one, index) => putOff(one, afterMs[index] ?? 0)));
      const [late, early, same, later] = pending.map(({ id }) => id);
      expect(await due(999)).toEqual([]);
      expect(await due(1000)).toEqual([early as number]);
      expect(await due(3000)).toEqual([early, late, same] as number[]);
      expect(await due(9999)).toEqual([early, late, same, later] as number[]);
      expect(await due(9999, 2)).toEqual([early, late] as number[]);
      expect(await transactions.nextCheckAtMs()).toBe(CREATED_AT_MS + 1000);
      const changed = await transactions.resolveDue(CREATED_AT_MS + 9999, 10, async (all) =>
        all.map((one) => cancelled(one)),
      );
      expect(changed.map(({ status }) => status)).toEqual(pending.map(() => "cancelled"));
      expect(await transactions.nextCheckAtMs()).toBeNull();
      expect(await due(9999)).toEqual([]);
      const [next, unchanged] = await insertTwo();
      await transactions.record([putOff(next, 5000)]);
      expect(await due(4999)).toEqual([unchanged.id]);
      await transactions.resolveDue(CREATED_AT_MS + 5000, 10, async (all) => {
        expect(all).toEqual([unchanged, putOff(next, 5000)]);
        return [];
      });
    });

    test("a payment is overdue from its deadline until it ends; one that is only due is not", async () => {
      const { transactions } = shop.store;
      const pending = await insertPending(shop.store);
      const { checkAtMs, expiresAtMs } = pending;
      const times = [checkAtMs, expiresAtMs - 1, expiresAtMs, expiresAtMs + 1];
      const overdue = () => Promise.all(times.map((atMs) => transactions.isAnyOverdue(atMs)));
      expect(await overdue()).toEqual([false, false, true, true]);
      await transactions.record([cancelled(pending)]);
      expect(await overdue()).toEqual([false, false, false, false]);
    });

    test("open prompts are listed oldest first, paid ones newest first, also of a phone with few payments or many", async () => {
      const [few, many] = ["254700000001", "254700000002"] as [Msisdn, Msisdn];
      const other = "254700000003" as Msisdn;
      const phones = [few, many, few, ...Array.from({ length: 1496 }, () => many), other, many, few, few, many];
      const started = await Promise.all(
        phones.map((phone, n) =>
          insertPending(shop.store, { phone, merchantId: 1 + (n % 2), paymentAccountId: 1 + (n % 2) }),
        ),
      );
      const placesOf = (rows: readonly { readonly id: number }[]) =>
        rows.map(({ id }) => started.findIndex((one) => one.id === id));
      const pending = async (limit: number, phone?: Msisdn) =>
        placesOf(await shop.store.transactions.listPending(limit, phone));
      const paidOnes = async (limit: number, phone?: Msisdn) =>
        placesOf(await shop.store.transactions.listPaid(limit, phone));
      // The first completes last, pairs of the others at once; the second does not pay; the last five stay pending.
      const atMs = (n: number) => CREATED_AT_MS + (n === 0 ? 9000 : 1000 + Math.floor(n / 2));
      await shop.store.transactions.record(
        started.slice(0, 1499).map((one, n) => (n === 1 ? cancelled(one) : paid(one, `R${one.id}`, atMs(n)))),
      );
      const expectPending = async () => {
        expect(await pending(9)).toEqual([1499, 1500, 1501, 1502, 1503]);
        expect(await pending(9, few)).toEqual([1501, 1502]);
        expect(await pending(9, many)).toEqual([1500, 1503]);
        expect(await Promise.all([few, many, other].map(shop.store.transactions.countPending))).toEqual([2, 2, 1]);
      };
      await expectPending();
      expect([await pending(1), await pending(1, few), await pending(1, many)]).toEqual([[1499], [1501], [1500]]);
      // The oldest are due last.
      await shop.store.transactions.record(started.slice(1499, 1502).map((one) => putOff(one, 9500)));
      await expectPending();
      expect(await pending(2)).toEqual([1502, 1503]); // of more, the ones due next
      expect(await paidOnes(4)).toEqual([0, 1498, 1497, 1496]);
      expect([await paidOnes(9, few), await paidOnes(1, few)]).toEqual([[0, 2], [0]]);
      expect(await paidOnes(3, many)).toEqual([1498, 1497, 1496]);
      expect(await paidOnes(2000, many)).toHaveLength(1496);
      for (const list of [pending, paidOnes]) expect(await list(9, "254700000004" as Msisdn)).toEqual([]);
    });
  });

  test("a reset removes all transactions and counts, keeps merchants, and an outcome from before it changes nothing", async () => {
    const { transactions, transactionList, merchants } = shop.store;
    const [early, ended] = await insertTwo();
    await transactions.record([paid(ended, "R1")]);
    const [, next, changed] = await Promise.all([
      transactions.clear(),
      insertPending(shop.store),
      transactions.record([paid(early, "R2")]),
    ]);
    expect(changed).toEqual([]);
    expect(next.id).toBe(ended.id + 1);
    expect(await transactions.listPending(10)).toEqual([next]);
    const { rows, summary } = await transactionList.list(1, {}, { number: 1, limit: 10 });
    expect(rows).toEqual([next]);
    expect(summary).toMatchObject({ totalItems: 1, completedAmountCents: 0 });
    expect(await merchants.listMerchants()).toHaveLength(2);
  });

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

  test("no number is given twice, also if a reset comes with a write that fails", async () => {
    const { transactions } = shop.store;
    await insertPending(shop.store);
    await identified(shop.store);
    const bad = await identified(shop.store, { merchantId: 99 });
    const [cleared, refused] = await Promise.allSettled([transactions.clear(), transactions.insert(bad)]);
    expect([cleared.status, refused.status]).toEqual(["fulfilled", "rejected"]);
    expect(await nextNumber()).toBe(bad.id + 1);
  });

  test("what is written just before a reset is in no total after it", async () => {
    const [one, two] = [await insertPending(shop.store), await identified(shop.store)];
    const { transactions, transactionList } = shop.store;
    await Promise.all([transactions.record([cancelled(one)]), transactions.insert(two), transactions.clear()]);
    const { rows, summary } = await transactionList.list(1, {}, { number: 1, limit: 10 });
    expect(summary.totalItems).toBe(rows.length);
    expect(await shop.areTotalsTrue()).toBe(true);
  });

  test("payments at once have different numbers, also if there are more than a process reserves", async () => {
    const ids = await Promise.all(Array.from({ length: 2500 }, async () => (await identified(shop.store)).id));
    expect(new Set(ids).size).toBe(2500);
    expect(Math.min(...ids)).toBeGreaterThan(0);
  });

  test("the last start is that of the newest payment", async () => {
    const { transactions } = shop.store;
    expect(await transactions.lastStartMs()).toBeNull();
    for (const afterMs of [0, 7]) await insertPending(shop.store, { createdAtMs: CREATED_AT_MS + afterMs });
    expect(await transactions.lastStartMs()).toBe(CREATED_AT_MS + 7);
  });

  test("the replica change token changes when another process of a shared store writes, and not after own writes", async () => {
    const before = await shop.store.replicaChangeToken();
    const pending = await insertPending(shop.store);
    expect(await shop.store.replicaChangeToken()).toBe(before);
    const other = await shop.openAnother();
    await other.transactions.record([cancelled(pending)]);
    expect((await shop.store.replicaChangeToken()) !== before).toBe(shop.store.isShared);
  });
});
