import { expect, test } from "bun:test";
import { auditClient } from "../../../cli/serving/client-audit.ts";
import { createPaymentBook, type Payment } from "../../../sandbox/audit/payments.ts";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const MOST_PAYMENTS = 2000;

test("the newest 2,000 payments are watched, whatever their numbers are: each replica has blocks of its own", () => {
  const dropped: number[] = [];
  const book = createPaymentBook(({ id }) => void dropped.push(id));
  const numberOf = (index: number) => (index % 2) * 100 * MOST_PAYMENTS + Math.floor(index / 2) + 1;
  for (let index = 0; index < MOST_PAYMENTS + 1; index += 1) {
    const id = numberOf(index);
    book.add({
      id,
      checkoutRequestId: `ws_${id}`,
      phone: `${id}`,
      merchantId: 1,
      reference: null,
    } as unknown as Payment);
  }
  expect(dropped).toEqual([numberOf(0)]);
  expect([book.byNumber(numberOf(0)), book.byNumber(numberOf(1))?.id]).toEqual([undefined, numberOf(1)]);
  expect([book.wasDropped(numberOf(0)), [...book.all()].length]).toEqual([true, MOST_PAYMENTS]);
});

test("a clock that cannot move to the end of the prompts loses no report", async () => {
  const clock = createVirtualClock(createManualClock(Date.UTC(9999, 11, 30) - 5));
  const { finish } = auditClient({
    basePaths: ["/v2"],
    inputs: () => new Map(),
    hasWebhook: () => false,
    log: { subscribe: () => () => {} },
    service: { subscribe: () => () => {}, resolver: { resolveDue: async () => {} } },
    clock,
    stopwatch: () => 0,
    promptTimeoutMs: 60_000,
    settleDeliveries: async () => {},
  } as unknown as Parameters<typeof auditClient>[0]);
  expect((await finish({ hosts: [] } as never)).findings).toBeArray();
  expect(clock.nowMs()).toBe(Date.UTC(9999, 11, 30));
});
