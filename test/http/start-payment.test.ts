import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/domain/error.ts";
import { receiptNumber, transactionCode } from "../../src/domain/identifiers.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
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

/** The payment as both operations show it. All members of the status must be in the list, too. */
async function see(scene: Scene, checkout_request_id: string, as: "caller" | "other" = "caller") {
  const status = await scene.send({ path: "/status.php", as, json: { checkout_request_id } });
  const list = await scene.send({ path: `/transactions.php?search=${checkout_request_id}`, as });
  const { success, message, ...members } = status.body;
  const [item] = list.body.transactions as Record<string, unknown>[];
  expect([success, message]).toEqual([true, `the payment is ${item?.status}`]);
  expect(item).toMatchObject(members);
  return item;
}

test("another merchant's payment is answered like an unknown one", async () => {
  const scene = await openScene();
  const { checkout_request_id, merchant_request_id } = await scene.start();
  const ask = (id: string, as: "caller" | "other") =>
    scene.send({ path: "/status.php", as, json: { checkout_request_id: id } });
  const unknown = await ask("ws_CO_20112026100000_UNKNOWN", "other");
  for (const answer of [await ask(checkout_request_id, "other"), await ask(merchant_request_id, "caller")]) {
    expect([answer.status, answer.text]).toEqual([404, unknown.text]);
  }
  expect((await ask(checkout_request_id, "caller")).status).toBe(200);
  await scene.close();
});

const PAID = "The service request is processed successfully.";
const EXPIRED = "Transaction has expired.";

/** The test phones of the README, with the result of the network and its time. */
const STATES: [phone: string, status: string, code: number, text: string, afterMs: number][] = [
  ["254700000000", "completed", 0, PAID, 3000],
  ["254700000030", "completed", 0, PAID, 30_000],
  ["254700000001", "failed", 1, "The balance is insufficient for the transaction.", 3000],
  ["254700000003", "failed", 3, "Declined due to limit rule: greater than the maximum transaction amount.", 3000],
  ["254700000017", "failed", 17, "Rule limited.", 3000],
  ["254700000025", "failed", 1025, "An error occurred while sending a push request.", 3000],
  ["254700000037", "failed", 1037, "DS timeout user cannot be reached.", 15_000],
  ["254700000201", "failed", 2001, "The initiator information is invalid.", 3000],
  ["254700000806", "failed", 8006, "The security credential is locked.", 3000],
  ["254700000032", "cancelled", 1032, "Request cancelled by user.", 3000],
  ["254700000019", "expired", 1019, EXPIRED, 60_000],
  ["254700000099", "expired", 1019, EXPIRED, 60_000],
  ["254700000100", "expired", 1019, EXPIRED, 60_000],
];

describe("each test phone leads to its state, at its time and not before, and there it stays", () => {
  const scene = forAllTests(openScene);

  test.each(STATES)("%s: %s, result code %p, %s after %p ms", async (phone, status, code, text, afterMs) => {
    const started = await scene.start({ phone, amount: 12.5 });
    const paidAtMs = scene.clock.nowMs() + afterMs;
    const members = {
      id: started.transaction_id,
      kind: "api",
      type: "API",
      amount: 12.5,
      fee_amount: 0.13,
      phone,
      checkout_request_id: started.checkout_request_id,
      merchant_request_id: started.merchant_request_id,
      is_deposit: false,
      credit_target: null,
      payment_link_id: null,
      created_at: formatTimestamp(scene.clock.nowMs()),
    };
    const unpaid = { fee_deducted: false, completed_at: null, transaction_code: null, momo_receipt_number: null };
    const paid = {
      fee_deducted: true,
      completed_at: formatTimestamp(paidAtMs),
      transaction_code: transactionCode(started.transaction_id),
      momo_receipt_number: receiptNumber(paidAtMs, started.transaction_id),
    };

    await scene.advance(afterMs - 1);
    const pending = { ...members, ...unpaid, status: "pending", result_code: null, result_desc: null };
    expect(await see(scene, started.checkout_request_id)).toEqual(pending);
    await scene.advance(1);
    const final = await see(scene, started.checkout_request_id);
    const outcome = { status, result_code: code, result_desc: text, ...(status === "completed" ? paid : unpaid) };
    expect(final).toEqual({ ...members, ...outcome });
    await scene.advance(24 * 60 * 60 * 1000);
    expect(await see(scene, started.checkout_request_id)).toEqual(final);
  });
});
