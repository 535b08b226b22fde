import { expect, test } from "bun:test";
import { type Engine, onEngines, postgres } from "../../support/engines.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { describeWith } from "../../support/needs.ts";
import { openService, START_MS } from "../../support/service.ts";

/**
 * Runs the contract tests of a store, the scenarios of the API, the check of momo, and the test of a server as new on PostgreSQL;
 * `npm test` runs them on SQLite.
 */

await onEngines(postgres, async () => {
  await import("../../store/contract/deliveries.test.ts");
  await import("../../store/contract/list.test.ts");
  await import("../../store/contract/merchants.test.ts");
  await import("../../store/contract/totals.test.ts");
  await import("../../store/contract/transactions.test.ts");
});
// Above the store no version makes a difference.
await onEngines(postgres.slice(-1), async () => {
  await import("../../http/start-payment.test.ts");
  await import("../../http/list.test.ts");
  await import("../../sandbox/as-new.test.ts");
  await import("../../sandbox/check/check.test.ts");
});

/** Two servers on one database. More tests of shared state are in test/integration/replicas. */

for (const engine of postgres.slice(-1)) describeWith(engine.needs, engine.name, () => defineTest(engine));

function defineTest(engine: Engine): void {
  test("one's own work is no change of others; a list shows no due payment as pending, also if another server started it", async () => {
    const here = await openService({}, engine);
    const clock = createManualClock(START_MS);
    const there = here.openAnother({ store: await here.place.open(), clock });
    const { merchantId } = here.caller;
    const marks = () => Promise.all([here.service, there].map((one) => one.replicaChangeToken()));
    const [own, others] = await marks();
    await here.pay();
    await here.pay("completed; after=0s");
    const [, othersBefore] = await marks();
    expect(othersBefore).not.toBe(others);
    await here.advance(0);
    // The server that works sees no change of others, which would be a `gap` in its events; the other one does.
    const [ownAfter, othersAfter] = await marks();
    expect(ownAfter).toBe(own);
    // The end of a payment is a change, too, although the count of all is the same.
    expect(othersAfter).not.toBe(othersBefore);
    clock.advance(3000);
    const { rows } = await there.listTransactions(merchantId, {}, { number: 1, limit: 10 });
    expect(rows.map(({ status }) => status)).toEqual(["completed", "completed"]);
    await there.resolver.stop();
    await here.close();
  });
}
