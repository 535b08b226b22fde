import { expect, test } from "bun:test";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { messageOf, samplePayment } from "../../../sandbox/webhooks/message.ts";
import { Sender } from "../../../sandbox/webhooks/sender.ts";
import { KINDS } from "../../../src/domain/transaction.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { nextTurn } from "../../support/waiting.ts";

test("if the store fails, the error is reported once, and the sender looks again each second until it can read", async () => {
  const realClock = createManualClock(0);
  const faults: string[] = [];
  let fails = true;
  const sender = new Sender({
    deliveries: {
      claim: async () => {
        if (fails) throw new Error("the disk is full");
        return [];
      },
      nextDueAtMs: async () => null,
      ...{ release: async () => {}, save: async () => {} },
    },
    ...{ isShared: false, clock: createVirtualClock(realClock), realClock, mayDecide: () => true },
    ...{ address: () => "http://127.0.0.1:1/", beforeSending: () => {}, onAttempt: () => {} },
    reportFault: (error) => void faults.push(String(error)),
  });
  sender.look();
  sender.look();
  await nextTurn();
  expect([faults, realClock.alarmsAtMs]).toEqual([["Error: the disk is full"], [1000]]);
  fails = false;
  realClock.advance(1000);
  await nextTurn();
  expect([faults.length, realClock.alarmsAtMs]).toEqual([1, []]);
  await sender.stop();
});

test.each(KINDS)("a payment of the kind %s is a deposit only if it is one into a wallet", (kind) => {
  const { data } = JSON.parse(messageOf("payment.updated", { ...samplePayment(0), kind }, 0).body);
  expect(data).toMatchObject({ is_deposit: kind === "wallet_deposit", type: kind.toUpperCase() });
});
