import { afterEach, expect, test } from "bun:test";
import { parseAddress } from "../../../src/store/postgres/address.ts";
import { type Attempts, createAttempts } from "../../../src/store/postgres/attempts.ts";
import { type Connection, type Connections, createConnections } from "../../../src/store/postgres/connections.ts";
import type { Deliveries } from "../../../src/store/postgres/deliveries.ts";
import { ConnectionEnded } from "../../../src/store/postgres/failures.ts";
import { createMerchantStore } from "../../../src/store/postgres/merchants.ts";
import { openNumbering } from "../../../src/store/postgres/numbering.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { createTransactionStore } from "../../../src/store/postgres/transactions.ts";
import { createWrites } from "../../../src/store/postgres/writes.ts";
import { Meter } from "../../../src/store/vitals.ts";
import { stopwatch, systemClock } from "../../../src/system.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { describePostgres, holdTransaction, openShop, untilBlocked } from "../../support/postgres.ts";
import { CREATED_AT_MS, identified, insertPending, paid, planDeliveries } from "../../support/shop.ts";
import { rejectionOf } from "../../support/waiting.ts";

afterEach(cleanUp);

/** @param lose changes how a connection is used */
function attemptsAt(url: string, lose: (use: Connections["use"]) => Connections["use"]): Attempts {
  const connections = createConnections(parseAddress(url, null, "losing"), 2, systemClock);
  later(() => connections.close());
  return createAttempts({
    ...{ connections: { ...connections, use: lose(connections.use) }, clock: systemClock, stopwatch },
    ...{ meter: new Meter(), deadlineMs: 40_000, onRecovered: () => {} },
  });
}

/** The engine has done the work, but every second answer is lost, so it is sent again. */
function losingAnswers(url: string): Attempts {
  let uses = 0;
  return attemptsAt(url, (use) => async (mostMs, work, inTransaction) => {
    const result = await use(mostMs, work, inTransaction);
    uses += 1;
    if (uses % 2 === 1) throw new ConnectionEnded();
    return result;
  });
}

const deliveries = { planned: () => null } as unknown as Deliveries;

describePostgres((version) => {
  test("merchants, accounts and keys that are sent again are stored once, and answered as if they were sent once", async () => {
    const { url, store } = await openShop(version);
    const merchants = createMerchantStore(losingAnswers(url), stopwatch);
    expect(await merchants.addMerchant("Second", 5)).toMatchObject({ name: "Second" });
    expect((await store.merchants.listMerchants()).map(({ name }) => name)).toEqual(["Merchant 1", "Second"]);
    const tariff = { basisPoints: 150, fixedCents: 10 };
    expect(await merchants.addPaymentAccount({ merchantId: 1, name: "Till", tariff }, 5)).toMatchObject({ tariff });
    expect((await store.merchants.listPaymentAccounts(1)).map(({ name }) => name)).toEqual(["Main account", "Till"]);

    const key = { apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" };
    expect(await merchants.addKey(key, 5)).toBe(true);
    const other = rejectionOf(merchants.addKey({ ...key, secretHash: new Uint8Array(32).fill(1) }, 5));
    expect(String(await other)).toContain("duplicate key");
    expect(await store.merchants.listKeys(1)).toHaveLength(1);
    expect([await merchants.revokeKey("mk_a", 9), await merchants.revokeKey("mk_a", 10)]).toEqual([true, false]);
    expect(await store.merchants.findKey("mk_a")).toMatchObject({ revokedAtMs: 9 });
  });

  test("payments and outcomes that are sent again are stored once; those of another server are no answer to ours", async () => {
    const { url, store } = await openShop(version);
    const meter = new Meter();
    const writes = createWrites({
      ...{ attempts: losingAnswers(url), meter, stopwatch, unsettled: new Map(), replica: "losing", deliveries },
    });
    const [mine, more, other] = [await identified(store), await identified(store), await identified(store)];
    expect(await Promise.all([mine, more].map((one) => writes.inserts.add(one)))).toEqual([true, true]);
    const sameNumber = rejectionOf(writes.inserts.add({ ...other, id: mine.id }));
    expect(String(await sameNumber)).toContain(`there is a transaction ${mine.id}`);
    expect(await store.transactions.listPending(5)).toEqual([mine, more]);

    const ended = [mine, more].map((one) => paid(one));
    expect(await writes.outcomes.add(ended)).toEqual(ended);
    expect(await writes.outcomes.add([paid(mine, "OTHER", CREATED_AT_MS + 9)])).toEqual([]);
    expect([meter.commits, meter.rows]).toEqual([4, 6]);
    const { summary } = await store.transactionList.list(1, {}, { number: 1, limit: 1 });
    expect(summary).toMatchObject({ totalItems: 2, completedCount: 2 });
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });

  test("outcomes whose commit is stored, but not answered, are returned all the same, and decided once", async () => {
    const { url, store } = await openShop(version);
    const pending = [await insertPending(store), await insertPending(store)];
    let isLost = false;
    const attempts = attemptsAt(url, (use) => (mostMs, work, inTransaction) => {
      const losing = async <Row>(script: Connection["script"], text: string) => {
        const rows = await script<Row>(text);
        if (text !== "COMMIT" || isLost) return rows;
        isLost = true;
        throw new ConnectionEnded();
      };
      return use(
        mostMs,
        ({ query, script, end }) => work({ query, script: (text) => losing(script, text), end }),
        inTransaction,
      );
    });
    const parts = { attempts, meter: new Meter(), stopwatch, replica: "losing", deliveries, mayBeStale: () => false };
    const transactions = createTransactionStore(parts, await openNumbering(attempts));
    let decisions = 0;
    const resolved = await transactions.resolveDue(CREATED_AT_MS + 9000, 10, async (due) => {
      decisions += 1;
      return due.map((one) => paid(one));
    });
    expect([isLost, decisions]).toEqual([true, 1]);
    expect(resolved.map(({ id, status }) => [id, status])).toEqual(pending.map(({ id }) => [id, "completed"]));
  });

  test("the probe stores and ends a payment, and leaves none; the vitals count prompts and connections", async () => {
    const { url, store } = await openShop(version);
    await store.merchants.addKey({ apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" }, 5);
    planDeliveries(store);
    await store.vitals.probe();
    expect((await store.transactionList.list(1, {}, { number: 1, limit: 5 })).rows).toEqual([]);
    expect(await store.deliveries.list({ limit: 5 })).toEqual([]);
    const [one] = [await insertPending(store), await insertPending(store), await insertPending(store)];
    await store.transactions.record([paid(one)]);
    const release = await holdTransaction(url, "SELECT pg_advisory_xact_lock(7)");
    const slow = store.sql.read("SELECT pg_advisory_xact_lock(7)");
    await untilBlocked(url, 1);
    expect(await store.vitals.measure()).toMatchObject({
      pending: 2,
      connections: 1,
      durability: "nothing: fsync is off",
    });
    await release();
    await slow;
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });
});
