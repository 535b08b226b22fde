import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { isMemo } from "../../sandbox/network/script.ts";
import type { TransactionFilter } from "../../src/domain/filter.ts";
import { secretOf } from "../../src/domain/identifiers.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { admitCopy, inspectCopy, openStore, readRows, writeRows } from "../../src/store/sqlite/sqlite.ts";
import { naiveList } from "../support/book.ts";
import { useFolder } from "../support/cleanup.ts";
import { CREATED_AT_MS } from "../support/payments.ts";
import { identified, insertPending, openStoreWithMerchants } from "../support/shop.ts";

const inFolder = useFolder();
const MINUTE_MS = 60_000;

test("payments that are stored out of order are listed by time, until a reset", async () => {
  const store = await openStoreWithMerchants(inFolder("momo.db"));
  const [late, next] = [CREATED_AT_MS + 1440 * MINUTE_MS, CREATED_AT_MS];
  const all: PendingTransaction[] = [];
  for (const createdAtMs of [late, next, next + 1]) all.push(await insertPending(store, { createdAtMs }));
  const expectList = async (filter: TransactionFilter) => {
    const { rows } = await store.transactionList.list(1, filter, { number: 1, limit: 10 });
    expect(rows).toEqual(naiveList(all, 1, filter));
    return rows.length;
  };
  const isMarked = () => {
    const client = new Database(inFolder("momo.db"));
    const marked = client.query("SELECT in_order FROM numbering").values()[0]?.[0] === 0;
    client.close();
    return marked;
  };
  for (const days of [{}, { fromDay: dayOf(late) }, { toDay: dayOf(next) }]) {
    for (const search of [undefined, "07"]) {
      expect(await expectList(search === undefined ? days : { ...days, search })).toBeGreaterThan(0);
    }
  }
  const saved = await store.transactions.save(10);
  expect(isMarked()).toBe(true);
  await store.transactions.clear();
  expect(isMarked()).toBe(false);
  all.length = 0;
  const [first, second] = [
    await identified(store, { createdAtMs: next }),
    await identified(store, { createdAtMs: late }),
  ];
  for (const one of [second, first]) await store.transactions.insert(one);
  all.push(first, second);
  expect(await expectList({})).toBe(2);
  expect(isMarked()).toBe(false);
  all.push(await insertPending(store, { createdAtMs: next + 5 }));
  expect(await expectList({})).toBe(3);
  expect(isMarked()).toBe(true);
  await saved?.restore();
  expect(isMarked()).toBe(true);
  store.close();
});

test("payments of several replicas get the order of time when they are imported, and keep their identifiers", async () => {
  const store = await openStoreWithMerchants(inFolder("source.db"));
  const minutes = [0, 10, 1440, 5, 1441, 6];
  const all = [];
  for (const _ of minutes) all.push(await insertPending(store));
  store.close();
  // Each replica has numbers of its own, so that in the common database they do not rise with time.
  const exported = inFolder("exported.db");
  const shift = (minute: number) => minute * MINUTE_MS;
  async function* rows() {
    for await (const { table, rows } of readRows(inFolder("source.db"))) {
      const moved = rows.map((row, index) => {
        const byMs = shift(minutes[index] ?? 0);
        const times = ["created_at_ms", "expires_at_ms", "check_at_ms"].map((name) => [name, Number(row[name]) + byMs]);
        return table === "transactions" ? { ...row, ...Object.fromEntries(times), memo: "manual - default" } : row;
      });
      yield { table, rows: moved };
    }
  }
  await writeRows(exported, rows());
  inspectCopy(exported, "the copy");
  admitCopy(exported, "the copy", isMemo);
  inspectCopy(exported, "the copy");
  admitCopy(exported, "the copy", isMemo);

  const copy = openStore(exported);
  const { rows: listed, summary } = await copy.transactionList.list(1, {}, { number: 1, limit: 100 });
  expect(listed.map(({ createdAtMs }) => (createdAtMs - CREATED_AT_MS) / MINUTE_MS)).toEqual(
    minutes.toSorted((a, b) => b - a),
  );
  expect(listed.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  expect(summary.totalItems).toBe(minutes.length);
  for (const one of listed) {
    if (one.status !== "pending") throw new Error("all are pending");
    expect(await copy.transactions.findByCheckoutRequestId(one.checkoutRequestId)).toEqual(one);
    for (const filter of [{ id: one.id }, { search: one.merchantRequestId }]) {
      const found = await copy.transactionList.list(1, filter, { number: 1, limit: 10 });
      expect(found.rows).toEqual(naiveList(listed, 1, filter));
      expect(found.rows).toHaveLength(1);
    }
    const end = resolve(one, { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: one.createdAtMs + 1 });
    expect(await copy.transactions.record([end])).toEqual([end]);
    expect(await copy.transactions.findByCheckoutRequestId(one.checkoutRequestId)).toEqual(end);
  }
  expect((await insertPending(copy)).id).toBe(minutes.length + 1);
  copy.close();
  const secrets = new Map<unknown, unknown>();
  for await (const { table, rows } of readRows(exported)) {
    if (table === "transactions") for (const { id, secret } of rows) secrets.set(id, secret);
  }
  expect(secrets.size).toBe(minutes.length + 1);
  for (const { id, checkoutRequestId } of all) expect(secrets.get(id)).toBe(secretOf(checkoutRequestId));
});
