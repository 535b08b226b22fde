import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { receiptNumber } from "../../src/domain/identifiers.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { RESULT_CODES } from "../../src/domain/result-codes.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import type { PendingTransaction, TransactionFacts } from "../../src/domain/transaction.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/folder.ts";
import { nextTurn } from "../support/next-turn.ts";
import { CREATED_AT_MS, paidAt } from "../support/payments.ts";
import { rejectionOf } from "../support/rejection.ts";
import { identified, insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();
let store: Store;
beforeEach(async () => {
  store = await openStoreWithMerchants(inFolder("momo.db"), 2);
});
afterEach(() => store.close());

const pay = (pending: PendingTransaction, receipt: string) => resolve(pending, paidAt(CREATED_AT_MS + 5, receipt));
const cancel = (pending: PendingTransaction) =>
  resolve(pending, { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: CREATED_AT_MS + 5 });
const find = ({ checkoutRequestId }: TransactionFacts) => store.transactions.findByCheckoutRequestId(checkoutRequestId);

describe("a transaction", () => {
  test("is found as it was stored, and still is after the file is opened again", async () => {
    const pending = await insertPending(store, {
      merchantId: 2,
      paymentAccountId: 2,
      kind: "wallet_deposit",
      reference: "Odrer 'ÉÈ' \" % _ \\ \n 😀",
      description: "x".repeat(182),
    });
    expect(await find(pending)).toEqual(pending);
    const again = openStore(inFolder("momo.db"));
    expect(await again.transactions.findByCheckoutRequestId(pending.checkoutRequestId)).toEqual(pending);
    again.close();
  });

  test("is numbered from 1 and upwards", async () => {
    const stored = await Promise.all([insertPending(store), insertPending(store), insertPending(store)]);
    expect(stored.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test("is found by its whole identifier in its own letter case", async () => {
    const { checkoutRequestId, merchantRequestId } = await insertPending(store);
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
      expect(await store.transactions.findByCheckoutRequestId(other)).toBeNull();
    }
  });

  test("that is asked for again and again is found as it stands: here, elsewhere, and after all are forgotten", async () => {
    const [here, elsewhere] = [await insertPending(store), await insertPending(store)];
    for (const pending of [here, elsewhere]) {
      expect(await find(pending)).toEqual(pending);
      expect(await find(pending)).toEqual(pending);
    }
    await store.transactions.record([cancel(here)]);
    expect(await find(here)).toEqual(cancel(here));
    const other = openStore(inFolder("momo.db"));
    await other.transactions.record([cancel(elsewhere)]);
    other.close();
    await nextTurn();
    expect(await find(elsewhere)).toEqual(cancel(elsewhere));
    await store.transactions.clear();
    expect(await find(here)).toBeNull();
  });

  test("with a number that another one has is refused, and the other stays", async () => {
    const first = await insertPending(store);
    const twin = store.transactions.insert({ ...(await identified(store)), id: first.id });
    expect(String(await rejectionOf(twin))).toContain("UNIQUE");
    expect(await find(first)).toEqual(first);
  });
});

test("the payments that completed last, of all phones, and of one that pays seldom or often", async () => {
  const [seldom, often] = ["254700000001" as Msisdn, "254700000002" as Msisdn];
  const started = [seldom, ...Array.from({ length: 1500 }, () => often), seldom];
  const pending = await Promise.all(
    started.map((phone, n) => insertPending(store, { phone, merchantId: 1 + (n % 2) })),
  );
  const completed = (one: PendingTransaction, atMs: number) => resolve(one, paidAt(CREATED_AT_MS + atMs, `R${one.id}`));
  // The first one last, and some at once; the second does not pay.
  await store.transactions.record(
    pending.map((one, n) => (n === 1 ? cancel(one) : completed(one, n === 0 ? 9000 : 1000 + Math.floor(n / 2)))),
  );
  const idsOf = async (limit: number, phone?: Msisdn) =>
    (await store.transactions.listPaid(limit, phone)).map(({ id }) => pending.findIndex((one) => one.id === id));
  expect(await idsOf(4)).toEqual([0, 1501, 1500, 1499]);
  expect(await idsOf(9, seldom)).toEqual([0, 1501]);
  expect(await idsOf(3, often)).toEqual([1500, 1499, 1498]);
  expect(await idsOf(2000, often)).toHaveLength(1499);
  expect(await idsOf(9, "254700000003" as Msisdn)).toEqual([]);
});

describe("the first outcome wins, a later one changes nothing", () => {
  test("in two calls", async () => {
    const pending = await insertPending(store);
    const paid = pay(pending, "R1");
    expect(await store.transactions.record([paid])).toEqual([paid]);
    expect(await store.transactions.record([cancel(pending)])).toEqual([]);
    expect(await store.transactions.record([pay(pending, "R2")])).toEqual([]);
    expect(await store.transactions.record([{ ...pending, checkAtMs: pending.expiresAtMs }])).toEqual([]);
    expect(await find(pending)).toEqual(paid);
  });

  test("in two calls at once, and within one", async () => {
    const [a, b] = [await insertPending(store), await insertPending(store)];
    const answers = await Promise.all([
      store.transactions.record([cancel(a), pay(b, "R1"), cancel(b)]),
      store.transactions.record([pay(a, "R2")]),
    ]);
    expect(answers.map((changed) => changed.map(({ id }) => id))).toEqual([[a.id, b.id], []]);
    expect(await find(a)).toEqual(cancel(a));
    expect(await find(b)).toEqual(pay(b, "R1"));
  });

  test("an outcome touches its own transaction alone", async () => {
    const [a, b] = [await insertPending(store), await insertPending(store)];
    await store.transactions.record([cancel(a)]);
    expect(await find(b)).toEqual(b);
  });

  test("a transaction that is put off stays pending, with its memo", async () => {
    const pending = await insertPending(store);
    await store.transactions.record([{ ...pending, checkAtMs: CREATED_AT_MS + 9000 }]);
    expect(await find(pending)).toEqual({ ...pending, checkAtMs: CREATED_AT_MS + 9000 });
  });
});

describe("the database is the schedule", () => {
  const at = async (afterMs: number) => {
    const pending = await insertPending(store);
    await store.transactions.record([{ ...pending, checkAtMs: CREATED_AT_MS + afterMs }]);
    return pending.id;
  };
  const due = async (afterMs: number, limit = 10) => {
    let taken: readonly PendingTransaction[] = [];
    const resolved = await store.transactions.resolveDue(CREATED_AT_MS + afterMs, limit, async (pending) => {
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
    expect(await store.transactions.nextCheckAtMs()).toBeNull();
    await at(3000);
    await at(1000);
    expect(await store.transactions.nextCheckAtMs()).toBe(CREATED_AT_MS + 1000);
    const changed = await store.transactions.resolveDue(CREATED_AT_MS + 9999, 10, async (all) => all.map(cancel));
    expect(changed.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(await store.transactions.nextCheckAtMs()).toBeNull();
    expect(await due(9999)).toEqual([]);
  });

  test("so are those of a phone, whether it has few payments or many", async () => {
    const [seldom, often] = ["254700000001", "254700000002"] as [Msisdn, Msisdn];
    const started = await Promise.all(
      [seldom, ...Array.from({ length: 1500 }, () => often), seldom].map((phone) => insertPending(store, { phone })),
    );
    await store.transactions.record(started.slice(2, 1499).map(cancel));
    const idsOf = async (limit: number, phone?: Msisdn) =>
      (await store.transactions.listPending(limit, phone)).map(({ id }) => started.findIndex((one) => one.id === id));
    expect(await idsOf(9, seldom)).toEqual([0, 1501]);
    expect(await idsOf(9, often)).toEqual([1, 1499, 1500]);
    expect(await idsOf(2, often)).toEqual([1, 1499]);
    expect(await idsOf(9, "254700000003" as Msisdn)).toEqual([]);
  });

  test("the open prompts are listed oldest first, at most so many", async () => {
    const [a, b, c] = [await insertPending(store), await insertPending(store), await insertPending(store)];
    await store.transactions.record([cancel(b)]);
    expect(await store.transactions.listPending(10)).toEqual([a, c]);
    expect(await store.transactions.listPending(1)).toEqual([a]);
  });
});

test("the newest transaction with exactly this reference is found, whoever's it is", async () => {
  await insertPending(store, { reference: "Order-1" });
  const newest = await insertPending(store, { reference: "Order-1", merchantId: 2, paymentAccountId: 2 });
  await insertPending(store, { reference: "order-1" });
  await insertPending(store, { reference: "Order-10" });
  await insertPending(store);
  expect(await store.transactions.findByReference("Order-1")).toEqual(newest);
  expect(await store.transactions.findByReference("ORDER-1")).toBeNull();
  expect(await store.transactions.findByReference("Order")).toBeNull();
});

test("what became of a transaction that was forgotten changes no other, and its number is not given again", async () => {
  const forgotten = await insertPending(store);
  const [, other, changed] = await Promise.all([
    store.transactions.clear(),
    insertPending(store),
    store.transactions.record([pay(forgotten, "R1")]),
  ]);
  expect(other.id).toBe(forgotten.id + 1);
  expect(changed).toEqual([]);
  expect(await store.transactions.listPending(10)).toEqual([other]);
});

test("a receipt number and a result text are kept, whether they derive from the rest or a provider chose them", async () => {
  const [derived, chosen] = [await insertPending(store), await insertPending(store)];
  const atMs = CREATED_AT_MS + 5;
  const finals = [
    resolve(derived, { ...paidAt(atMs, receiptNumber(atMs, derived.id)), resultDesc: RESULT_CODES[0] }),
    resolve(chosen, paidAt(atMs, receiptNumber(atMs + 86_400_000, chosen.id))),
  ];
  await store.transactions.record(finals);
  expect(await Promise.all([derived, chosen].map(find))).toEqual(finals);
  const raw = new Database(inFolder("momo.db"), { readonly: true });
  const stored = raw.query("SELECT receipt_number, result_desc FROM transactions ORDER BY id").values();
  raw.close();
  expect(stored).toEqual([
    [null, null],
    [receiptNumber(atMs + 86_400_000, chosen.id), "paid"],
  ]);
});

test("when transactions are forgotten, the table and its rules are as they were", async () => {
  await insertPending(store);
  const schema = () => {
    const database = new Database(inFolder("momo.db"), { readonly: true });
    const rows = database.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
    database.close(true);
    return rows;
  };
  const before = schema();
  await store.transactions.clear();
  expect(schema()).toEqual(before);
});

test("when transactions are forgotten, merchants stay, and counting starts again", async () => {
  const pending = await insertPending(store);
  await store.transactions.record([pay(pending, "R1")]);
  await store.transactions.clear();
  expect(await find(pending)).toBeNull();
  const { rows, summary } = await store.transactionList.list(1, {}, { number: 1, limit: 10 });
  expect([rows, summary.totalItems, summary.completedAmountCents]).toEqual([[], 0, 0]);
  expect(await store.merchants.listMerchants()).toHaveLength(2);
  await insertPending(store);
  expect((await store.transactionList.list(1, {}, { number: 1, limit: 10 })).summary.totalItems).toBe(1);
});
