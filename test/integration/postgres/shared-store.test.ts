import { expect, test } from "bun:test";
import { postgres } from "../../support/engines.ts";
import { openHarness } from "../../support/harness.ts";
import { orderTo } from "../../support/payments.ts";

/** Two servers on one database. Most of what they share is tried with real replicas, in test/integration/replicas. */

test.each(postgres.slice(-1))(
  "$name: a list shows nothing as pending that is due, whichever server started it",
  async (engine) => {
    const place = await engine.newPlace();
    const here = openHarness({ store: await place.open() });
    const there = openHarness({ store: await place.open() });
    const { merchantId, accountId } = await here.addCaller("Shop");
    await here.service.startPayment(merchantId, orderTo(accountId));
    there.clock.advance(3000);
    const { rows } = await there.service.listTransactions(merchantId, {}, { number: 1, limit: 10 });
    expect(rows.map(({ status }) => status)).toEqual(["completed"]);
    await here.close();
    await there.close();
    await place.leave();
    expect([...here.faults, ...there.faults]).toEqual([]);
  },
);
