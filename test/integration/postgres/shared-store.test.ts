import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createChangesElsewhere } from "../../../sandbox/control/changes-elsewhere.ts";
import { createWaitingRoom, type Ending } from "../../../sandbox/control/waiting-room.ts";
import { systemClock, systemRandom } from "../../../src/system.ts";
import { type Place, postgres } from "../../support/engines.ts";
import { type Caller, type Harness, openHarness } from "../../support/harness.ts";
import { orderTo } from "../../support/payments.ts";
import { until } from "../../support/until.ts";

/** Two servers on one database: the other one shows, ends and reports the payments that one starts. */

const reportFault = (error: unknown) => {
  throw error;
};

for (const engine of postgres.slice(-1)) {
  describe(engine.name, () => {
    let place: Place;
    let here: Harness;
    let there: Harness;
    let caller: Caller;
    beforeEach(async () => {
      place = await engine.newPlace();
      here = openHarness({ store: await place.open() });
      there = openHarness({ store: await place.open() });
      caller = await here.addCaller("Shop");
    });
    afterEach(async () => {
      await here.close();
      await there.close();
      await place.leave();
      expect([...here.faults, ...there.faults]).toEqual([]);
    });

    const start = () => here.service.startPayment(caller.merchantId, orderTo(caller.accountId));
    const statusAt = async ({ store }: Harness, id: string) =>
      (await store.transactions.findByCheckoutRequestId(id))?.status;

    test("a list shows nothing as pending that is due, whoever started it", async () => {
      await start();
      there.clock.advance(3000);
      const { rows } = await there.service.listTransactions(caller.merchantId, {}, { number: 1, limit: 10 });
      expect(rows.map(({ status }) => status)).toEqual(["completed"]);
    });

    test("a server finds by itself the payments of another one that died", async () => {
      const { checkoutRequestId } = await start();
      await here.service.resolver.stop();
      there.clock.advance(3000);
      there.service.resolver.watch(systemRandom);
      await until(
        () => statusAt(there, checkoutRequestId),
        (status) => status === "completed",
      );
    });

    test("a client that waits here for a payment is told when another server ends it", async () => {
      const { checkoutRequestId } = await start();
      const room = createWaitingRoom({ service: there.service, realClock: systemClock, reportFault });
      const { promise, resolve } = Promise.withResolvers<Ending>();
      const leave = room.enter({ checkoutRequestId, accepts: ({ status }) => status !== "pending" }, resolve);
      await here.advance(3000);
      expect(await promise).toMatchObject({ checkoutRequestId, status: "completed" });
      leave();
      room.close();
    });

    test("a listener here is told of changes by another server, and not of those by this one", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const parts = { service: there.service, realClock: systemClock, isNeeded: () => true, reportFault };
      const changes = createChangesElsewhere({ ...parts, onChange: resolve });
      await start();
      const before = await there.store.markOfOthers();
      await there.service.startPayment(caller.merchantId, orderTo(caller.accountId));
      expect(await there.store.markOfOthers()).toBe(before);
      changes.start();
      await until(
        async () => {
          await start();
          return changes.count;
        },
        (count) => count > 0,
      );
      await promise;
      changes.stop();
    });
  });
}

test("a store of one process is not shared, and nobody else changes it", async () => {
  const harness = openHarness();
  expect([harness.service.isShared, await harness.service.markOfOthers()]).toEqual([false, ""]);
  await harness.close();
});
