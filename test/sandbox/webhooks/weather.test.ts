import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { DeliveryOnWire } from "../../../sandbox/control/shapes/webhook.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { startReceiver } from "../../support/receiver.ts";
import { openSteered, type Steered } from "../../support/steered.ts";
import { until } from "../../support/until.ts";
import { allEnded, type WebhookScene, webhookScene } from "../../support/webhook-scene.ts";

let sandbox: Steered;
let shop: WebhookScene;
beforeEach(async () => {
  sandbox = await openSteered();
  shop = webhookScene(sandbox);
});
afterEach(() => sandbox.close());
afterAll(cleanUp);

/** `times`, `delay`, `lost`, `shuffle` and `early`. */

describe("the settings of the webhook decide how badly it arrives", () => {
  test("twice: each is delivered as often as times says", async () => {
    const receiver = startReceiver();
    await shop.set(receiver, { times: 2 });
    const id = await sandbox.pay();
    await sandbox.advanceClock("3s");
    await receiver.until(2);
    for (const { body } of receiver.received) expect(body.data).toMatchObject({ checkout_request_id: id });
    expect((await shop.untilDeliveries(allEnded)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  test("late: each is held back by delay", async () => {
    const receiver = startReceiver();
    await shop.set(receiver, { delay: "90s" });
    await sandbox.pay();
    await sandbox.advanceClock("3s");
    await sandbox.advanceClock("89s");
    expect(await shop.deliveries()).toMatchObject([{ state: "waiting", attempts: [] }]);
    await sandbox.advanceClock("1s");
    await receiver.until(1);
  });

  test("lost: some are never sent, the same ones for the same seed", async () => {
    const receiver = startReceiver();
    const run = async () => {
      await shop.set(receiver, { lost: 0.5, seed: 7 });
      for (let count = 0; count < 12; count += 1) await sandbox.pay();
      await sandbox.advanceClock("3s");
      return (await shop.untilDeliveries((all) => all.length >= 12 && allEnded(all)))
        .slice(-12)
        .map(({ state }) => state);
    };
    const states = await run();
    expect(new Set(states)).toEqual(new Set(["lost", "delivered"]));
    expect(receiver.received).toHaveLength(states.filter((state) => state === "delivered").length);
    expect(await run()).toEqual(states);
  });

  test("out of order: shuffle has one overtake another", async () => {
    const receiver = startReceiver();
    await shop.set(receiver, { shuffle: "60s", seed: 3 });
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) ids.push(await sandbox.pay());
    await sandbox.advanceClock("3s");
    for (let second = 0; second < 60; second += 1) {
      await sandbox.advanceClock("1s");
      const due = (await shop.deliveries()).filter(({ due_at_ms }) => due_at_ms <= sandbox.harness.clock.nowMs());
      await receiver.until(due.length);
    }
    const arrived = receiver.received.map(({ body }) => (body.data as DeliveryOnWire).checkout_request_id);
    expect(arrived.toSorted()).toEqual(ids.toSorted());
    expect(arrived).not.toEqual(ids);
  });

  test("early: it comes before the answer to the push", async () => {
    const receiver = startReceiver();
    await shop.set(receiver, { early: true });
    let isAnswered = false;
    const push = sandbox.pay().then((id) => {
      isAnswered = true;
      return id;
    });
    await until(
      () => sandbox.list(),
      (rows) => rows.length === 1,
    );
    await sandbox.advanceClock("3s");
    await receiver.until(1);
    expect(isAnswered).toBe(false);
    expect(receiver.received[0]?.body.data).toMatchObject({ checkout_request_id: await push, status: "completed" });
  });
});
