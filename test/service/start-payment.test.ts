import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AmountCents } from "../../src/domain/money.ts";
import { pay, statusOf } from "../support/caller.ts";
import { type Caller, type Harness, openHarness, START_MS } from "../support/harness.ts";
import { rejectionOf } from "../support/rejection.ts";

let harness: Harness;
let caller: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
});
afterEach(() => harness.close());

const countOf = async ({ merchantId }: Caller) =>
  (await harness.service.listTransactions(merchantId, {}, { number: 1, limit: 1 })).summary.totalItems;

test("a payment that is accepted is pending, with all that was asked for", async () => {
  const started = await pay(harness, caller, { reference: "Order-1", description: "Bread" });
  expect(started).toMatchObject({
    id: 1,
    merchantId: caller.merchantId,
    paymentAccountId: caller.accountId,
    kind: "api",
    status: "pending",
    amountCents: 10_000,
    feeCents: 100,
    phone: "254712345678",
    reference: "Order-1",
    description: "Bread",
    createdAtMs: START_MS,
    expiresAtMs: START_MS + 60_000,
  });
  expect(await statusOf(harness, caller, started)).toEqual(started);
});

test("the fee is the tariff of the payment account, computed at start", async () => {
  await harness.service.registry.setTariff(caller.accountId, { basisPoints: 150, fixedCents: 1000 });
  const started = await pay(harness, caller, { amountCents: 333 as AmountCents });
  expect(started.feeCents).toBe(1005);
  await harness.service.registry.setTariff(caller.accountId, { basisPoints: 0, fixedCents: 0 });
  await harness.advance(3000);
  expect((await statusOf(harness, caller, started)).feeCents).toBe(1005);
});

describe("refused: nothing is stored", () => {
  test("an instruction that the network does not understand", async () => {
    expect(await rejectionOf(pay(harness, caller, { instruction: "maybe" }))).toMatchObject({ kind: "invalid" });
    expect(await countOf(caller)).toBe(0);
  });

  test("a network that is broken", async () => {
    const broken = openHarness({
      provider: {
        push: () => Promise.reject(new Error("no network")),
        check: () => Promise.reject(new Error("no network")),
      },
    });
    const shop = await broken.addCaller("Shop");
    expect(String(await rejectionOf(pay(broken, shop)))).toContain("no network");
    const { summary } = await broken.service.listTransactions(shop.merchantId, {}, { number: 1, limit: 1 });
    expect(summary.totalItems).toBe(0);
    await broken.close();
  });
});

test("a payment that takes no time at all is completed by the next look of the service", async () => {
  const started = await pay(harness, caller, { instruction: "completed; after=0s" });
  await harness.service.resolver.resolveDue();
  expect(await statusOf(harness, caller, started)).toMatchObject({ status: "completed", completedAtMs: START_MS });
});
