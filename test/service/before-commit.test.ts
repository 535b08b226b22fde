import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Caller, type Harness, openHarness, pay, START_MS, statusOf } from "../support/harness.ts";
import { paidAt } from "../support/payments.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

let harness: Harness;
let caller: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
});
afterEach(() => harness.close());

describe("a read between a write and its commit finds the old state, and a read after it the new one", () => {
  test("the status of a payment that ends", async () => {
    const started = await pay(harness, caller, { instruction: "manual" });
    let readBeforeCommit = Promise.resolve("not asked");
    await harness.service.answerPrompt(started.checkoutRequestId, () => {
      // This microtask runs after the write and before the commit, which is at the end of the turn.
      queueMicrotask(() => {
        readBeforeCommit = statusOf(harness, caller, started).then(({ status }) => status);
      });
      return paidAt(START_MS, "RECEIPT1");
    });
    expect(await readBeforeCommit).toBe("pending");
    expect((await statusOf(harness, caller, started)).status).toBe("completed");
  });

  test("a key that is revoked", async () => {
    const { apiKey, apiSecret } = caller.key;
    const login = async () => harness.service.authenticate(apiKey, apiSecret);
    const revoking = harness.service.registry.revokeKey(apiKey);
    expect(await login()).toBe(caller.merchantId);
    await revoking;
    expect(await rejectionOf(login())).toMatchObject({ kind: "unauthorized" });
  });

  test("a tariff that changes", async () => {
    const changing = harness.service.registry.setTariff(caller.accountId, { basisPoints: 0, fixedCents: 500 });
    expect((await pay(harness, caller)).feeCents).toBe(100);
    await changing;
    expect((await pay(harness, caller)).feeCents).toBe(500);
  });
});

test("a write is on disk when it is answered, also if each turn until then reads something", async () => {
  const beside = openHarness({ file: harness.file });
  const onDisk = harness.service.registry
    .registerMerchant("Written")
    .then(() => beside.service.registry.listMerchants())
    .finally(() => {
      isAnswered = true;
    });
  let isAnswered = false;
  while (!isAnswered) {
    await harness.service.authenticate(caller.key.apiKey, caller.key.apiSecret);
    await nextTurn();
  }
  expect((await onDisk).map(({ name }) => name)).toContain("Written");
  await beside.close();
});
