import { afterEach, expect, test } from "bun:test";
import { createRequestIds } from "../../../src/domain/identifiers.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import type { Attempts } from "../../../src/store/postgres/attempts.ts";
import type { Connection } from "../../../src/store/postgres/connections.ts";
import { createDeliveryStore } from "../../../src/store/postgres/deliveries.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import { describePostgres, openReplica, openShop, runSql } from "../../support/postgres.ts";
import { insertPending } from "../../support/shop.ts";

afterEach(cleanUp);

describePostgres((version) => {
  test("one replica at a time has a delivery; another one gets it when its claim is over", async () => {
    const { url, store } = await openShop(version);
    const others = [await openReplica(url), await openReplica(url)];
    const planned = { form: "flat", endedAtMs: CREATED_AT_MS, dueAtMs: CREATED_AT_MS };
    store.deliveries.plan(() => [planned]);
    const pending = await Promise.all(Array.from({ length: 60 }, () => insertPending(store)));
    await store.transactions.record(pending.map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `R${one.id}`))));
    const claim = async (limit: number) =>
      (await Promise.all([store, ...others].map(({ deliveries }) => deliveries.claim(CREATED_AT_MS, limit)))).flat();
    const claimed = await claim(20);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(60);
    expect(await claim(20)).toEqual([]);
    // Its server is dead: no attempt takes so long.
    const id = claimed[30]?.id ?? 0;
    await runSql(url, `UPDATE deliveries SET claimed_until_ms = claimed_until_ms - 15000 WHERE delivery_id = ${id}`);
    expect(await claim(20)).toMatchObject([{ id }]);
    for (const { deliveries } of others)
      expect(await deliveries.list({ limit: 100 })).toEqual(await store.deliveries.list({ limit: 100 }));
  });

  test("a claim whose answer was lost, and that is sent again, gets what it has claimed already", async () => {
    const { store } = await openShop(version);
    const { read, write } = store.sql;
    store.deliveries.plan(() => [{ form: "flat", endedAtMs: CREATED_AT_MS, dueAtMs: CREATED_AT_MS }]);
    await store.transactions.record([resolve(await insertPending(store), paidAt(CREATED_AT_MS + 5, "R1"))]);
    const attempts = {
      read: (work) => work({ query: read } as Connection),
      write: (work) =>
        work({ query: write } as Connection, false).then(() => work({ query: write } as Connection, true)),
    } as Attempts;
    const deliveries = createDeliveryStore(attempts, createRequestIds(new Uint8Array(32)), "losing");
    expect(await deliveries.claim(CREATED_AT_MS, 20)).toHaveLength(1);
  });
});
