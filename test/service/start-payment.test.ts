import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { AmountCents } from "../../src/domain/money.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { pay, statusOf } from "../support/caller.ts";
import { type Caller, type Harness, openHarness, START_MS } from "../support/harness.ts";
import { rejectionOf } from "../support/rejection.ts";

let harness: Harness;
let caller: Caller;
let other: Caller;
beforeEach(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
  other = await harness.addCaller("Other shop");
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
  test("a push that the network refuses", async () => {
    for (const changes of [{ instruction: "refused" }, { phone: parsePhone("0700000500") }]) {
      expect(await rejectionOf(pay(harness, caller, changes))).toMatchObject({
        kind: "provider",
        message: expect.stringMatching(/^STK push initiation failed: /),
      });
    }
    expect(await countOf(caller)).toBe(0);
  });

  test("an instruction that the network does not understand", async () => {
    expect(await rejectionOf(pay(harness, caller, { instruction: "maybe" }))).toMatchObject({ kind: "invalid" });
    expect(await countOf(caller)).toBe(0);
  });

  test("an account that is unknown or another merchant's, in the same words", async () => {
    const refusals = [other.accountId, 999, 0, -1].map((paymentAccountId) =>
      pay(harness, caller, { paymentAccountId }).then(() => "accepted", String),
    );
    const words = new Set(await Promise.all(refusals));
    expect([...words]).toEqual(["Refusal: payment_account_id is not the id of a payment account of yours"]);
    expect([await countOf(caller), await countOf(other)]).toEqual([0, 0]);
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

test("an unknown checkout request id and another merchant's are refused in the same words", async () => {
  const theirs = await pay(harness, other);
  const words = [theirs.checkoutRequestId, "ws_CO_0_0", "", theirs.checkoutRequestId.toLowerCase()].map((id) =>
    harness.service.checkStatus(caller.merchantId, id).then(() => "found", String),
  );
  expect(new Set(await Promise.all(words))).toEqual(
    new Set(["Refusal: checkout_request_id is not that of a payment of yours"]),
  );
});

test("an id that is unknown or another merchant's is refused in the same words; any other filter finds nothing", async () => {
  const theirs = await pay(harness, other);
  const page = { number: 1, limit: 10 };
  const words = [theirs.id, 999].map((id) =>
    harness.service.listTransactions(caller.merchantId, { id }, page).then(() => "found", String),
  );
  expect(new Set(await Promise.all(words))).toEqual(
    new Set(["Refusal: there is no transaction of yours with this id and these filters"]),
  );
  expect((await harness.service.listTransactions(caller.merchantId, { status: "failed" }, page)).rows).toEqual([]);
  expect((await harness.service.listTransactions(other.merchantId, { id: theirs.id }, page)).rows).toEqual([theirs]);
});
