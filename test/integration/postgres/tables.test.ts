import { afterEach, describe, expect, test } from "bun:test";
import { resolve } from "../../../src/domain/state-machine.ts";
import { type Day, dayOf } from "../../../src/domain/timestamp.ts";
import type { TableRows } from "../../../src/store/postgres/postgres.ts";
import { fromStored, toStored } from "../../../src/store/postgres/text.ts";
import { areTotalsTrue, foldTotals } from "../../../src/store/postgres/totals.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import { available, newDatabase, openEngine, runSql, sharedServer } from "../../support/postgres.ts";
import { rejectionOf } from "../../support/rejection.ts";
import { addMerchants, insertPending } from "../../support/shop.ts";

afterEach(cleanUp);

test.each(["", "a", "\0", "\u0001", "\u0002", "\0\u0001\u0002\u0001\0", "a\0\0b\u0001\u0001c"])(
  "a text with NUL is stored without, and comes back: %j",
  (text) => {
    expect(toStored(text)).not.toContain("\0");
    expect(fromStored(toStored(text))).toBe(text);
    for (let length = 0; length <= text.length; length += 1) {
      expect(toStored(text)).toStartWith(toStored(text.slice(0, length)));
    }
  },
);

for (const version of available()) {
  describe(`PostgreSQL ${version}`, () => {
    const openNew = async () => {
      const url = await newDatabase(await sharedServer(version));
      const store = await openEngine(url);
      later(() => store.close());
      return { url, store };
    };

    test("the shards of past days are added up, and the sums stay", async () => {
      const { url, store } = await openNew();
      await addMerchants(store, 1);
      const pending = await Promise.all(Array.from({ length: 40 }, () => insertPending(store)));
      const other = await openEngine(url);
      later(() => other.close());
      await other.transactions.record(pending.map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `R${one.id}`))));
      const shards = () => runSql<{ shard: string }>(url, "SELECT DISTINCT shard FROM day_totals WHERE count <> 0");
      const today = dayOf(CREATED_AT_MS);
      await foldTotals(store.sql.read, today);
      expect((await shards()).length).toBeGreaterThan(1);
      await Promise.all([foldTotals(store.sql.read, today + 1), foldTotals(other.sql.read, today + 1)]);
      expect(await shards()).toEqual([{ shard: "" }]);
      expect(await areTotalsTrue(store.sql.read)).toBe(true);
      const day = today as Day;
      expect(
        (await store.transactionList.list(1, { fromDay: day, toDay: day }, { number: 1, limit: 1 })).summary,
      ).toMatchObject({
        completedCount: 40,
        pendingCount: 0,
      });
    });

    test("a full count finds a total that is wrong", async () => {
      const { url, store } = await openNew();
      await addMerchants(store, 1);
      await insertPending(store);
      expect(await areTotalsTrue(store.sql.read)).toBe(true);
      await runSql(url, "UPDATE day_totals SET amount_cents = amount_cents + 1");
      expect(await areTotalsTrue(store.sql.read)).toBe(false);
    });

    test("a final row does not change, and neither does what a payment was when it started", async () => {
      const { url, store } = await openNew();
      await addMerchants(store, 1);
      const [open, final] = [await insertPending(store), await insertPending(store)];
      await store.transactions.record([resolve(final, paidAt(CREATED_AT_MS + 5, "R1"))]);
      const update = (id: number, what: string) =>
        rejectionOf(runSql(url, `UPDATE transactions SET ${what} WHERE id = ${id}`));
      expect(String(await update(final.id, "memo = 'other'"))).toContain("a final transaction never changes");
      expect(String(await update(open.id, "amount_cents = 200"))).toContain(
        "only the outcome of a transaction changes",
      );
      expect(await update(open.id, "memo = 'other'")).toBeNull();
    });

    test("everything moves to an empty database, as it was at one point in time, and numbers go on", async () => {
      const { store } = await openNew();
      await addMerchants(store, 2);
      await store.merchants.addKey({ apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" }, 5);
      const pending = await Promise.all(
        Array.from({ length: 1200 }, (_, n) => insertPending(store, { reference: `\0 ${n}` })),
      );
      await store.transactions.record(
        pending.slice(0, 600).map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `R${one.id}`))),
      );
      const { url: copyUrl, store: copy } = await openNew();
      async function* exportWhileWriting(): AsyncGenerator<TableRows> {
        let isFirst = true;
        for await (const rows of store.exportAll()) {
          // After the beginning, so it is not in the copy.
          if (isFirst) await insertPending(store);
          isFirst = false;
          yield rows;
        }
      }
      await copy.importAll(exportWhileWriting());
      const page = { number: 2, limit: 50 };
      const [here, there] = [
        await store.transactionList.list(1, {}, page),
        await copy.transactionList.list(1, {}, page),
      ];
      expect(there.summary).toEqual({ ...here.summary, totalItems: 1200, pendingCount: 600 });
      expect(await areTotalsTrue(copy.sql.read)).toBe(true);
      expect(await copy.merchants.findKey("mk_a")).toEqual(await store.merchants.findKey("mk_a"));
      expect(String(await rejectionOf(copy.importAll(store.exportAll())))).toContain("has merchants already");
      const again = await openEngine(copyUrl);
      later(() => again.close());
      expect(await again.transactions.findByReference("\0 7")).toMatchObject({
        reference: "\0 7",
        status: "completed",
      });
      expect((await insertPending(again)).id).toBeGreaterThan(1200);
      expect((await again.merchants.addMerchant("Third", 1))?.id).toBe(3);
    });
  });
}
