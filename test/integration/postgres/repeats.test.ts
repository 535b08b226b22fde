import { afterEach, expect, test } from "bun:test";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { OutcomeUnknown } from "../../../src/store/store.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { startForwarder } from "../../support/connection.ts";
import {
  describePostgres,
  holdTransaction,
  openReplica,
  openShop,
  untilBlocked,
  type Version,
} from "../../support/postgres.ts";
import { CREATED_AT_MS, identified, insertPending, paid, planDeliveries } from "../../support/shop.ts";
import { rejectionOf } from "../../support/waiting.ts";

/** What is true after the server has committed, and its answer was lost. */

afterEach(cleanUp);

/** A database, a store on it, and a store that loses answers. */
async function openLosing(version: Version) {
  const { url, store } = await openShop(version);
  let lost = "";
  const forwarder = await startForwarder(Number(new URL(url).port), (sent) => {
    if (lost === "" || !sent.includes(lost)) return false;
    lost = "";
    return true;
  });
  later(() => forwarder.close());
  const through = new URL(url);
  through.port = String(forwarder.port);
  return {
    url,
    store,
    losing: await openReplica(through.href),
    /** Loses the next answer to a message with this text. */
    loseAnswerTo(text: string): void {
      lost = text;
    },
    isLost: () => lost === "",
  };
}

const FIRST_PAGE = { number: 1, limit: 10 };

describePostgres((version) => {
  test("payments whose commit has no answer are left unknown and stored once; the next are stored beside them", async () => {
    const { store, losing, loseAnswerTo } = await openLosing(version);
    const lost = [await identified(losing), await identified(losing)];
    loseAnswerTo("momo_insert");
    for (const error of await Promise.all(lost.map((one) => rejectionOf(losing.transactions.insert(one))))) {
      expect(error).toBeInstanceOf(OutcomeUnknown);
      expect(String(error)).toContain("the database did not answer, so this may be stored: look in the list");
    }
    const next = await insertPending(losing);
    expect(await store.transactions.listPending(5)).toEqual([...lost, next]);
    expect(losing.vitals.work.unknownOutcomes).toBe(1);
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });

  test("due payments are decided once and written once; what nobody announces counts as a change of others", async () => {
    const { store, losing, loseAnswerTo, isLost } = await openLosing(version);
    planDeliveries(losing);
    const due = [await insertPending(losing), await insertPending(losing)];
    const token = await losing.replicaChangeToken();
    let decisions = 0;
    loseAnswerTo("COMMIT\0");
    const resolved = await losing.transactions.resolveDue(CREATED_AT_MS + 9000, 10, async (claimed) => {
      decisions += 1;
      return claimed.map((one) => paid(one));
    });
    expect([isLost(), decisions, resolved]).toEqual([true, 1, []]);
    const { summary } = await store.transactionList.list(1, {}, FIRST_PAGE);
    expect(summary).toMatchObject({ totalItems: due.length, completedCount: due.length });
    expect(await store.deliveries.list({ limit: 9 })).toHaveLength(due.length);
    expect(await losing.replicaChangeToken()).not.toBe(token);
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });

  test("an outcome by hand is left unknown and written once", async () => {
    const { store, losing, loseAnswerTo } = await openLosing(version);
    const pending = await insertPending(losing);
    loseAnswerTo("momo_record");
    expect(await rejectionOf(losing.transactions.record([paid(pending)]))).toBeInstanceOf(OutcomeUnknown);
    expect(await losing.transactions.record([paid(pending)])).toEqual([]);
    const { summary } = await store.transactionList.list(1, {}, FIRST_PAGE);
    expect(summary).toMatchObject({ totalItems: 1, completedCount: 1 });
  });

  test("a merchant, an account, a key and its end are left unknown and stored once", async () => {
    const { store, losing, loseAnswerTo } = await openLosing(version);
    const { merchants } = losing;
    const lose = <T>(work: () => Promise<T>) => {
      loseAnswerTo("COMMIT\0");
      return work();
    };
    const tariff = { basisPoints: 150, fixedCents: 10 };
    const key = { apiKey: "mk_a", secretHash: new Uint8Array(32), merchantId: 1, label: "till" };
    for (const work of [
      () => merchants.addMerchant("Second", 5),
      () => merchants.addPaymentAccount({ merchantId: 1, name: "Till", tariff }, 5),
      () => merchants.addKey(key, 5),
      () => merchants.revokeKey("mk_a", 9),
    ]) {
      expect(await rejectionOf(lose<unknown>(work))).toBeInstanceOf(OutcomeUnknown);
    }
    expect((await store.merchants.listMerchants()).map(({ name }) => name)).toEqual(["Merchant 1", "Second"]);
    expect((await store.merchants.listPaymentAccounts(1)).map(({ name }) => name)).toEqual(["Main account", "Till"]);
    const keys = (await store.merchants.listKeys(1)).map(({ apiKey, revokedAtMs }) => [apiKey, revokedAtMs]);
    expect(keys).toEqual([["mk_a", 9]]);
  });

  test("a webhook that is sent again by hand is left unknown and sent once", async () => {
    const { store, losing, loseAnswerTo } = await openLosing(version);
    planDeliveries(losing);
    await losing.transactions.record([paid(await insertPending(losing))]);
    const [first] = await store.deliveries.list({ limit: 9 });
    loseAnswerTo("INSERT INTO deliveries");
    expect(await rejectionOf(losing.deliveries.resend(first?.id ?? 0, CREATED_AT_MS))).toBeInstanceOf(OutcomeUnknown);
    const resends = (await store.deliveries.list({ limit: 9 })).filter(({ resendOf }) => resendOf !== null);
    expect(resends).toHaveLength(1);
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
