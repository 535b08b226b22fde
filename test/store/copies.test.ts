import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { resolve } from "../../src/domain/state-machine.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { areTotalsTrue } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { useFolder } from "../support/cleanup.ts";
import { CREATED_AT_MS } from "../support/payments.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();
let store: Store;
beforeEach(async () => {
  store = await openStoreWithMerchants(inFolder("momo.db"), 2);
});
afterEach(() => store.close());

const cancel = (pending: PendingTransaction) =>
  resolve(pending, { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: CREATED_AT_MS + 5 });
const find = ({ checkoutRequestId }: PendingTransaction) =>
  store.transactions.findByCheckoutRequestId(checkoutRequestId);

describe("a copy of all transactions", () => {
  test("is restored whole: rows, totals, indexes and triggers", async () => {
    const database = new Database(inFolder("momo.db"));
    const schema = () => database.query("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
    const before = schema();
    const [first, second] = [
      await insertPending(store),
      await insertPending(store, { merchantId: 2, paymentAccountId: 2 }),
    ];
    await store.transactions.record([cancel(first)]);
    const saved = await store.transactions.save(10);
    expect(saved?.count).toBe(2);
    const rows = database.query("SELECT * FROM transactions").all();
    await insertPending(store);
    await store.transactions.record([cancel(second)]);
    await saved?.restore();
    expect(database.query("SELECT * FROM transactions").all()).toEqual(rows);
    expect(schema()).toEqual(before);
    expect(areTotalsTrue(database)).toBe(true);
    expect(await find(second)).toEqual(second);
    expect(await store.transactions.record([cancel(second)])).toHaveLength(1);
    expect(await store.transactions.record([cancel(second)])).toHaveLength(0);
    database.close();
  });

  test("is refused where there are more than there may be", async () => {
    await insertPending(store);
    await insertPending(store);
    expect(await store.transactions.save(1)).toBeNull();
    expect((await store.transactions.save(2))?.count).toBe(2);
  });

  test("is not in the file, and does not last longer than the store", async () => {
    await insertPending(store);
    const saved = await store.transactions.save(10);
    const database = new Database(inFolder("momo.db"));
    expect(JSON.stringify(database.query("SELECT name FROM sqlite_schema").all())).not.toContain("copy");
    database.close();
    await saved?.drop();
    await saved?.drop();
  });

  test("what was decided before it is restored is not written after it", async () => {
    const pending = await insertPending(store);
    const saved = await store.transactions.save(10);
    const changed = await store.transactions.resolveDue(Number.MAX_SAFE_INTEGER, 10, async (due) => {
      await saved?.restore();
      return due.map(cancel);
    });
    expect(changed).toEqual([]);
    expect(await find(pending)).toEqual(pending);
  });
});
