import { afterAll, describe, expect, test } from "bun:test";
import { answerByHand } from "../../sandbox/network/network.ts";
import { cleanUp, forEachTest } from "../support/cleanup.ts";
import { newScene } from "../support/scene.ts";
import { createProvider, openService, START_MS } from "../support/service.ts";
import { paidAt } from "../support/shop.ts";

/** Events are announced after the write. A listener that throws harms neither the write, nor its caller, nor other listeners. */

afterAll(cleanUp);

const THROWN = "Error: a listener throws";

function throwAlways(): never {
  throw new Error("a listener throws");
}

const FIVE_COMPLETED = [1, 2, 3, 4, 5].map((id) => `${id} completed`);

describe("a listener of payments that throws", () => {
  const scene = forEachTest(() =>
    openService({
      provider: createProvider(async ({ id }, nowMs) => paidAt(nowMs, id === 6 ? "RECEIPT1" : `RECEIPT${id}`)),
    }),
  );

  /** Subscribes one that throws between two that listen. @returns what these hear */
  function listen() {
    const first: string[] = [];
    const last: string[] = [];
    scene.service.subscribe(({ id, status }) => first.push(`${id} ${status}`));
    scene.service.subscribe(throwAlways);
    scene.service.subscribe(({ id, status }) => last.push(`${id} ${status}`));
    return [first, last];
  }

  const statuses = async () => {
    const { rows } = await scene.service.listTransactions(1, {}, { number: 1, limit: 10 });
    return rows.map(({ id, status }) => `${id} ${status}`).reverse();
  };

  test("five payments in one commit: all are stored and heard once, and each error is reported", async () => {
    for (const _ of FIVE_COMPLETED) await scene.pay();
    const heard = listen();
    await scene.advance(3000);
    expect([await statuses(), ...heard]).toEqual(Array(3).fill(FIVE_COMPLETED));
    expect(scene.faults.splice(0).map(String)).toEqual(Array(5).fill(THROWN));
    expect(scene.realClock.alarmsAtMs).toEqual([]);
  });

  test("one outcome is refused by the store, so that they are written one by one: no other is tried again", async () => {
    for (let count = 0; count < 6; count += 1) await scene.pay();
    const writes: string[] = [];
    const { record } = scene.store.transactions;
    scene.store.transactions.record = (results) => {
      writes.push(...results.map(({ id, status }) => `${id} ${status}`));
      return record(results);
    };
    const heard = listen();
    await scene.advance(3000);
    expect(heard).toEqual([FIVE_COMPLETED, FIVE_COMPLETED]);
    expect(await statuses()).toEqual([...FIVE_COMPLETED, "6 pending"]);
    expect(writes).toEqual([...FIVE_COMPLETED, "6 completed", "6 pending"]);
    const faults = scene.faults.splice(0).map(String);
    expect(faults.filter((fault) => fault === THROWN)).toHaveLength(5);
    expect(faults).toHaveLength(6);
  });

  test("a start and an answer by hand succeed, and the payment is checked in time", async () => {
    const heard = listen();
    const { checkoutRequestId } = await scene.pay();
    expect(scene.clock.alarmsAtMs).toEqual([START_MS + 3000]);
    const answer = await scene.service.answerPrompt(checkoutRequestId, (pending) =>
      answerByHand(pending, { outcome: "cancelled" }, START_MS),
    );
    expect(answer.status).toBe("cancelled");
    expect(heard).toEqual(Array(2).fill(["1 pending", "1 cancelled"]));
    expect(scene.faults.splice(0).map(String)).toEqual([THROWN, THROWN]);
  });
});

test("listeners of payments, requests, deliveries, findings and events that throw: each request is answered as without them", async () => {
  const { service, faults, ask, pay, statusOf, control, advance, listen } = await newScene({
    onRequest: throwAlways,
    onDelivery: throwAlways,
    webhook: "http://127.0.0.1:1/",
    // Each control call waits for the deliveries that are due.
    seed: "a seed",
  });
  service.subscribe(throwAlways);
  await control("PUT", "/faults", { faults: [{ kind: "error", status: 503, path: "/transactions.php", times: 1 }] });
  await control("PUT", "/rules", { rules: [{ match: {}, outcome: "cancelled", times: 1 }] });
  const events = await listen();
  const id = await pay();
  await advance(3000);
  expect(await statusOf(id)).toMatchObject({ status: "cancelled" });
  expect((await ask("GET", "/transactions.php")).status).toBe(503);
  await control("POST", "/clock", { advance: "1ms" });
  const heard = (await events.until(9)).map(({ name }) => name);
  await events.leave();
  expect(heard.sort()).toEqual([
    ...["request", "request", "request", "steering", "steering", "steering"],
    ...["transaction", "transaction", "webhook"],
  ]);
  expect(faults.splice(0).map(String)).toEqual(Array(6).fill(THROWN));
});
