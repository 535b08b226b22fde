import { afterEach, expect, test } from "bun:test";
import type { PendingTransaction } from "../../../src/domain/transaction.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { startProgram } from "../../store/programs.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { describePostgres, openReplica, openShop, runSql, type Version } from "../../support/postgres.ts";
import { CREATED_AT_MS, insertPending, paid, planDeliveries } from "../../support/shop.ts";
import { SLACK_MS } from "../../support/waiting.ts";

/** One replica decides about each payment that is due, and sends each delivery. */

const DUE_MS = CREATED_AT_MS + 10_000;

afterEach(cleanUp);

async function openShopWith(version: Version, payments: number) {
  const shop = await openShop(version);
  const pending = await Promise.all(Array.from({ length: payments }, () => insertPending(shop.store)));
  return { ...shop, pending };
}

describePostgres((version) => {
  test("a payment is checked by the replica that started it; another one looks a second later", async () => {
    const { url, store, pending } = await openShopWith(version, 1);
    const other = await openReplica(url);
    const checkAtMs = pending[0]?.checkAtMs ?? 0;
    expect([await store.transactions.nextCheckAtMs(), await other.transactions.nextCheckAtMs()]).toEqual([
      ...[checkAtMs, checkAtMs + 1000],
    ]);
  });

  test("while one replica decides, others do not get the payments, and wait until it has decided", async () => {
    const { url, store, pending } = await openShopWith(version, 3);
    const other = await openReplica(url);
    const [entered, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = store.transactions.resolveDue(DUE_MS, 10, async (due) => {
      entered.resolve();
      await decided.promise;
      return due.map((one) => paid(one));
    });
    await entered.promise;
    let found: readonly PendingTransaction[] | null = null;
    const second = other.transactions.resolveDue(DUE_MS, 10, async (due) => {
      found = due;
      return [];
    });
    await runSql(url, "SELECT pg_sleep(0.2)");
    expect(found).toBeNull();
    decided.resolve();
    expect((await first).length).toBe(3);
    expect(await second).toEqual([]);
    expect(found as unknown).toEqual([]);
    expect(await other.transactions.findByCheckoutRequestId(pending[0]?.checkoutRequestId ?? "")).toMatchObject({
      status: "completed",
    });
  });

  test("what is left to be decided later is not held: no transaction stays open", async () => {
    const { url, store } = await openShopWith(version, 2);
    expect(await store.transactions.resolveDue(DUE_MS, 10, async () => [])).toEqual([]);
    const open =
      "SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()";
    expect(await runSql(url, open)).toEqual([]);
    const other = await openReplica(url);
    expect(await other.transactions.resolveDue(DUE_MS, 10, async (due) => due.map((one) => paid(one)))).toHaveLength(2);
  });

  test("decisions are written, although the connection of their claim ends before the commit", async () => {
    const { url, store, pending } = await openShopWith(version, 2);
    const changed = await store.transactions.resolveDue(DUE_MS, 10, async (due) => {
      await runSql(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()",
      );
      return due.map((one) => paid(one));
    });
    expect(changed.map(({ id }) => id).sort()).toEqual(pending.map(({ id }) => id).sort());
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });

  test("one replica at a time has a delivery; another one gets it when its claim is over", async () => {
    const { url, store } = await openShop(version);
    const others = [await openReplica(url), await openReplica(url)];
    planDeliveries(store);
    const pending = await Promise.all(Array.from({ length: 60 }, () => insertPending(store)));
    await store.transactions.record(pending.map((one) => paid(one)));
    const claim = async (limit: number) =>
      (await Promise.all([store, ...others].map(({ deliveries }) => deliveries.claim(CREATED_AT_MS, limit)))).flat();
    const claimed = await claim(20);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(60);
    expect(await claim(20)).toEqual([]);
    // Its server may be slow. After 15 s it is dead: no attempt takes so long.
    const id = claimed[30]?.id ?? 0;
    const lessBy = (ms: number) =>
      runSql(url, `UPDATE deliveries SET claimed_until_ms = claimed_until_ms - ${ms} WHERE delivery_id = ${id}`);
    await lessBy(5_000);
    expect(await claim(20)).toEqual([]);
    await lessBy(10_000);
    expect(await claim(20)).toMatchObject([{ id }]);
    for (const { deliveries } of others)
      expect(await deliveries.list({ limit: 100 })).toEqual(await store.deliveries.list({ limit: 100 }));
  });

  test("a server that is late does not release what another one has claimed since", async () => {
    const { url, store } = await openShop(version);
    const [late, other] = [store.deliveries, (await openReplica(url)).deliveries];
    planDeliveries(store);
    await store.transactions.record([paid(await insertPending(store))]);
    const [delivery] = await late.claim(CREATED_AT_MS, 1);
    const id = delivery?.id ?? 0;
    await runSql(url, "UPDATE deliveries SET claimed_until_ms = 0");
    expect(await other.claim(CREATED_AT_MS, 1)).toMatchObject([{ id }]);
    await late.release(id);
    expect(await late.claim(CREATED_AT_MS, 1)).toEqual([]);
    await other.release(id);
    expect(await late.claim(CREATED_AT_MS, 1)).toMatchObject([{ id }]);
  });
});

describePostgres(
  (version) => {
    test("a replica that is stopped while it decides holds payments for two seconds at most", async () => {
      const { url, store } = await openShopWith(version, 5);
      const child = startProgram("hold-claim", url, String(DUE_MS));
      expect(await child.stdout.nextLine()).toBe("holds 5");
      process.kill(child.pid, "SIGSTOP");
      const startMs = performance.now();
      const changed = await store.transactions.resolveDue(DUE_MS, 10, async (due) => due.map((one) => paid(one)));
      expect(changed.length).toBe(5);
      expect(performance.now() - startMs).toBeLessThan(2000 + SLACK_MS);
      child.signal("SIGKILL");
      await child.exited;
    });
  },
  ["15"],
);
