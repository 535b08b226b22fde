import { describe, expect, test } from "bun:test";
import {
  createDeliveryBook,
  type Delivery,
  MAX_ENDED_DELIVERIES,
  MAX_OPEN_DELIVERIES,
} from "../../../sandbox/webhooks/delivery-book.ts";
import { createDeliveryQueue, MAX_IN_FLIGHT } from "../../../sandbox/webhooks/delivery-queue.ts";
import { createHeldAnswers, MAX_HELD, MAX_HELD_MS } from "../../../sandbox/webhooks/held-answers.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const delivery = (id: number, dueAtMs = 0): Delivery => ({
  id,
  checkoutRequestId: `ws_CO_${id}`,
  message: { headers: {}, body: "{}" },
  state: "waiting",
  dueAtMs,
  attempts: [],
  resendOf: null,
});

describe("deliveries have bounds", () => {
  test("open deliveries: one too many is left out, and counted", () => {
    const book = createDeliveryBook();
    for (let count = 0; count < MAX_OPEN_DELIVERIES; count += 1) expect(book.add(delivery(0))).not.toBeNull();
    expect(book.add(delivery(0))).toBeNull();
    expect(book.leftOut).toBe(1);
    book.change(1, { state: "delivered" });
    expect(book.add(delivery(0))).toMatchObject({ id: MAX_OPEN_DELIVERIES + 1 });
  });

  test("ended deliveries: the oldest are forgotten", () => {
    const book = createDeliveryBook();
    for (let id = 1; id <= MAX_ENDED_DELIVERIES + 1; id += 1) {
      book.add(delivery(0));
      book.change(id, { state: "delivered" });
    }
    expect(book.list()).toHaveLength(MAX_ENDED_DELIVERIES);
    expect(book.get(1)).toBeNull();
    expect(book.get(2)).not.toBeNull();
  });

  test("attempts at the same time: the next begins when one ends; one alarm is enough for all that wait", async () => {
    const clock = createManualClock(0);
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const queue = createDeliveryQueue(clock, ({ id }) => {
      begun.push(id);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    });
    for (let id = 1; id <= 100; id += 1) queue.add(delivery(id, 1000 - id));
    expect(clock.alarmsAtMs).toEqual([900]);
    clock.advance(1000);
    expect(begun).toEqual(Array.from({ length: MAX_IN_FLIGHT }, (_, index) => 100 - index));
    expect(clock.alarmsAtMs).toEqual([]);
    ends[3]?.();
    await Bun.sleep(0);
    expect(begun).toHaveLength(MAX_IN_FLIGHT + 1);
    queue.clear();
    for (const end of ends) end();
    await Bun.sleep(0);
    expect(begun).toHaveLength(MAX_IN_FLIGHT + 1);
  });

  test("pushes that wait for an early webhook: 5 s at most; one too many does not wait", async () => {
    const clock = createManualClock(0);
    const heldAnswers = createHeldAnswers(clock);
    const held = Array.from({ length: MAX_HELD }, (_, index) => heldAnswers.waitFor(`ws_CO_${index}`));
    expect(held).not.toContain(null);
    expect(heldAnswers.waitFor("ws_CO_late")).toBeNull();
    heldAnswers.release("ws_CO_7");
    await held[7];
    clock.advance(MAX_HELD_MS);
    for (const one of held) await one;
    expect(clock.alarmsAtMs).toEqual([]);
  });
});
