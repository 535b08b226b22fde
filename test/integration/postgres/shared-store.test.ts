import { expect, test } from "bun:test";
import { postgres } from "../../support/engines.ts";
import { openHarness } from "../../support/harness.ts";
import { orderTo } from "../../support/payments.ts";

/** Two servers on one database. More tests of shared state are in test/integration/replicas. */

test.each(postgres.slice(-1))(
  "$name: one's own work is no change of others; a list shows no due payment as pending, also if another server started it",
  async (engine) => {
    const place = await engine.newPlace();
    const here = openHarness({ store: await place.open() });
    const there = openHarness({ store: await place.open() });
    const { merchantId, accountId } = await here.addCaller("Shop");
    const marks = () => Promise.all([here, there].map(({ service }) => service.markOfOthers()));
    const [own, others] = await marks();
    await here.service.startPayment(merchantId, orderTo(accountId));
    await here.service.startPayment(merchantId, orderTo(accountId, { instruction: "completed; after=0s" }));
    const [, othersBefore] = await marks();
    expect(othersBefore).not.toBe(others);
    await here.advance(0);
    // The server that works sees no change of others, which would be a `gap` in its events; the other one does.
    const [ownAfter, othersAfter] = await marks();
    expect(ownAfter).toBe(own);
    // The end of a payment is a change, too, although the count of all is the same.
    expect(othersAfter).not.toBe(othersBefore);
    there.clock.advance(3000);
    const { rows } = await there.service.listTransactions(merchantId, {}, { number: 1, limit: 10 });
    expect(rows.map(({ status }) => status)).toEqual(["completed", "completed"]);
    await here.close();
    await there.close();
    await place.leave();
    expect([...here.faults, ...there.faults]).toEqual([]);
  },
);
