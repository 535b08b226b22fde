import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/domain/error.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { forAllTests } from "../support/cleanup.ts";
import { onEveryEngine } from "../support/engines.ts";
import { openScene, payment, type RequestSpec, type Scene } from "../support/scene.ts";

/** A request for a payment with the JSON text of one more member, which counts if it is there twice. */
function withRawMember({ caller }: Scene, member: string, json: string): RequestSpec {
  return { path: "/stkpush.php", body: `${JSON.stringify(payment(caller)).slice(0, -1)},"${member}":${json}}` };
}

onEveryEngine((engine) => {
  const scene = forAllTests(() => openScene({}, engine));

  async function stored(id: number) {
    const page = { number: 1, limit: 1 };
    return (await scene.service.listTransactions(scene.caller.merchantId, { id }, page)).rows[0];
  }
  const push = (json: object) => scene.send({ path: "/stkpush.php", json: { ...payment(scene.caller), ...json } });
  async function countPayments() {
    const { body } = await scene.send({ path: "/transactions.php" });
    return (body.pagination as { total_items: number }).total_items;
  }

  describe("an accepted payment", () => {
    test("is another payment each time, although the order is the same", async () => {
      const started = [await scene.start({ reference: "A" }), await scene.start({ reference: "A" })];
      for (const member of ["transaction_id", "checkout_request_id", "merchant_request_id"] as const) {
        expect(new Set(started.map((one) => one[member])).size).toBe(2);
      }
    });

    test.each([
      ["amount", "1", { amountCents: 100 }],
      ["amount", "100.50", { amountCents: 10_050 }],
      ["amount", "2.675e2", { amountCents: 26_750 }],
      ["amount", "999999999.99", { amountCents: 99_999_999_999 }],
      ["phone", '"0712345678"', { phone: "254712345678" }],
      ["phone", '"254112345678"', { phone: "254112345678" }],
      ["phone", '"0812345678"', { phone: "254812345678" }],
      ["payment_account_id", "1.0", { paymentAccountId: 1 }],
      ["reference", '""', { reference: "" }],
      ["reference", '"%_\\""', { reference: '%_"' }],
      ["reference", '"a\\u0000b"', { reference: "a\0b" }],
      ["reference", `"${"\\u0000".repeat(100)}"`, { reference: "\0".repeat(100) }],
      ["reference", `"${"😀".repeat(100)}"`, { reference: "😀".repeat(100) }],
      ["description", `"${"x".repeat(182)}"`, { description: "x".repeat(182) }],
    ] as const)("keeps its %s: %s", async (member, json, expected) => {
      const { transaction_id } = await scene.start({}, withRawMember(scene, member, json));
      expect(await stored(transaction_id)).toMatchObject(expected as object);
    });

    test("may have no reference and no description", async () => {
      const { transaction_id } = await scene.start();
      expect(await stored(transaction_id)).toMatchObject({ reference: null, description: null });
    });

    test("has the fee of its account's tariff at the start, whatever the tariff is later", async () => {
      const { registry } = scene.service;
      await registry.setTariff(scene.caller.accountId, { basisPoints: 150, fixedCents: 1000 });
      const { transaction_id } = await scene.start({ amount: 3.33 });
      await registry.setTariff(scene.caller.accountId, { basisPoints: 0, fixedCents: 0 });
      await scene.advance(3000);
      expect(await stored(transaction_id)).toMatchObject({ status: "completed", feeCents: 1005 });
    });
  });

  test("an unknown payment account and another merchant's are refused alike", async () => {
    const before = await countPayments();
    for (const payment_account_id of [scene.other.accountId, 999_999, 9_007_199_254_740_991, 0, -1]) {
      expect(await push({ payment_account_id })).toMatchObject({
        status: 400,
        text: `{"success":false,"message":"payment_account_id is not the id of a payment account of yours; it is ${payment_account_id}, and yours are ${scene.caller.accountId}. momo accounts create --name NAME --id ID opens one"}`,
      });
    }
    for (const yours of [/yours are (?:\d+, ){4}\d+\. momo/, /yours are (?:\d+, ){5}…\. momo/]) {
      const { registry } = scene.service;
      const { length } = await registry.listAccounts(scene.caller.merchantId);
      for (let more = length === 1 ? 4 : 1; more > 0; more -= 1) {
        await registry.openAccount(scene.caller.merchantId, "Till");
      }
      expect((await push({ payment_account_id: 0 })).text).toMatch(yours);
    }
    const { id } = await scene.service.registry.registerMerchant("Without an account");
    const { apiKey, apiSecret } = await scene.service.registry.issueKey(id, "first");
    const headers = { "X-API-Key": apiKey, "X-API-Secret": apiSecret };
    const none = await scene.send({ path: "/stkpush.php", as: "anonymous", headers, json: payment(scene.caller) });
    expect([none.status, none.text]).toEqual([400, expect.stringContaining(", and you have none. momo accounts")]);
    expect(await countPayments()).toBe(before);
    expect((await scene.send({ path: "/transactions.php", as: "other" })).body.transactions).toEqual([]);
  });
});

function refusingProvider(error: Error): Provider {
  const refuse = () => Promise.reject(error);
  return { push: refuse, check: refuse };
}

test("if the network breaks, the answer is a fixed 500, the error is reported, and no transaction is stored", async () => {
  const scene = await openScene({ provider: refusingProvider(new Error("no network")) });
  const answer = await scene.send({ path: "/stkpush.php", json: payment(scene.caller) });
  expect([answer.status, answer.text]).toEqual([500, '{"success":false,"message":"internal server error"}']);
  expect((await scene.send({ path: "/transactions.php" })).body.transactions).toEqual([]);
  expect(scene.faults.splice(0).map(String)).toEqual(["Error: no network"]);
  await scene.close();
});

test("a refusal of the provider is shown without secrets", async () => {
  const refusal = new Refusal("provider", `the network does not know ms_${"0".repeat(40)}`);
  const scene = await openScene({ provider: refusingProvider(refusal) });
  const { status, body } = await scene.send({ path: "/stkpush.php", json: payment(scene.caller) });
  expect([status, body.message]).toEqual([500, "the network does not know [redacted]"]);
  await scene.close();
});
