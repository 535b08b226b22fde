import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { resolve } from "../../src/domain/state-machine.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { areTotalsTrue } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/folder.ts";
import { CREATED_AT_MS } from "../support/payments.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();
let store: Store;
let raw: Database;
beforeEach(async () => {
  store = await openStoreWithMerchants(inFolder("momo.db"), 2);
  raw = new Database(inFolder("momo.db"));
});
afterEach(() => {
  raw.close();
  store.close();
});

const cancel = (pending: PendingTransaction) =>
  resolve(pending, { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: CREATED_AT_MS + 5 });
const find = ({ checkoutRequestId }: PendingTransaction) =>
  store.transactions.findByCheckoutRequestId(checkoutRequestId);

test("a copy is restored whole, with totals, indexes and triggers; until then the file has nothing of it", async () => {
  const schema = () => raw.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
  const before = schema();
  const [first, second] = [
    await insertPending(store),
    await insertPending(store, { merchantId: 2, paymentAccountId: 2 }),
  ];
  await store.transactions.record([cancel(first)]);
  const saved = await store.transactions.save(2);
  expect(saved?.count).toBe(2);
  const rows = raw.query("SELECT * FROM transactions").all();
  await store.transactions.record([cancel(second)]);
  await store.transactions.clear();
  expect(schema()).toEqual(before);
  await insertPending(store);
  await saved?.restore();
  expect(schema()).toEqual(before);
  expect(raw.query("SELECT * FROM transactions").all()).toEqual(rows);
  expect(areTotalsTrue(raw)).toBe(true);
  expect(await find(second)).toEqual(second);
  expect(await store.transactions.record([cancel(second)])).toHaveLength(1);
  expect(await store.transactions.record([cancel(second)])).toHaveLength(0);
});

test("more transactions than are allowed are not copied; a copy can be dropped twice", async () => {
  await insertPending(store);
  await insertPending(store);
  expect(await store.transactions.save(1)).toBeNull();
  const saved = await store.transactions.save(2);
  await saved?.drop();
  await saved?.drop();
});

test("a decision from before a restore is not written after it", async () => {
  const pending = await insertPending(store);
  const saved = await store.transactions.save(10);
  const changed = await store.transactions.resolveDue(Number.MAX_SAFE_INTEGER, 10, async (due) => {
    await saved?.restore();
    return due.map(cancel);
  });
  expect(changed).toEqual([]);
  expect(await find(pending)).toEqual(pending);
});
