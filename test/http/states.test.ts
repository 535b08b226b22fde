import { describe, expect, test } from "bun:test";
import { openScene, type Scene } from "../support/scenario.ts";

const TIMESTAMP = /^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$/;

/** A state, a phone that leads there, and what the README says of it. */
const STATES = [
  { status: "completed", phone: "254700000000", code: 0, afterMs: 3000 },
  { status: "completed", phone: "254700000030", code: 0, afterMs: 30_000 },
  { status: "failed", phone: "254700000001", code: 1, afterMs: 3000 },
  { status: "failed", phone: "254700000003", code: 3, afterMs: 3000 },
  { status: "failed", phone: "254700000017", code: 17, afterMs: 3000 },
  { status: "failed", phone: "254700000025", code: 1025, afterMs: 3000 },
  { status: "failed", phone: "254700000037", code: 1037, afterMs: 15_000 },
  { status: "failed", phone: "254700000201", code: 2001, afterMs: 3000 },
  { status: "failed", phone: "254700000806", code: 8006, afterMs: 3000 },
  { status: "cancelled", phone: "254700000032", code: 1032, afterMs: 3000 },
  { status: "expired", phone: "254700000019", code: 1019, afterMs: 60_000 },
  { status: "expired", phone: "254700000099", code: 1019, afterMs: 60_000 },
  { status: "expired", phone: "254700000100", code: 1019, afterMs: 60_000 },
];

/** The payment as both operations show it; what both show must be the same. */
async function see(scene: Scene, checkout_request_id: string) {
  const { body } = await scene.send({ path: "/status.php", json: { checkout_request_id } });
  const list = await scene.send({ path: `/transactions.php?search=${checkout_request_id}` });
  const { success, message, ...members } = body;
  const [item] = list.body.transactions as Record<string, unknown>[];
  expect(success).toBe(true);
  expect(message).toBeString();
  expect(item).toMatchObject(members);
  return item ?? {};
}

describe("While status is pending, the null members are null", () => {
  test("transaction_code, momo_receipt_number, result_code, result_desc and completed_at", async () => {
    const scene = await openScene();
    const { checkout_request_id } = await scene.start();
    for (const elapsedMs of [0, 2999]) {
      await scene.harness.advance(elapsedMs);
      expect(await see(scene, checkout_request_id)).toMatchObject({
        status: "pending",
        transaction_code: null,
        momo_receipt_number: null,
        result_code: null,
        result_desc: null,
        completed_at: null,
        fee_deducted: false,
      });
    }
    await scene.close();
  });
});

describe("each test phone leads to its state, at its time and not before", () => {
  for (const { status, phone, code, afterMs } of STATES) {
    test(`${phone}: ${status}, result code ${code}, after ${afterMs} ms`, async () => {
      const scene = await openScene();
      const { checkout_request_id } = await scene.start({ phone, amount: 12.5 });
      await scene.harness.advance(afterMs - 1);
      expect(await see(scene, checkout_request_id)).toMatchObject({ status: "pending" });
      await scene.harness.advance(1);
      const item = await see(scene, checkout_request_id);
      const paid = status === "completed";
      expect(item).toMatchObject({
        status,
        phone,
        amount: 12.5,
        fee_amount: 0.13,
        fee_deducted: paid,
        result_code: code,
        created_at: "2026-11-20 10:00:00",
        completed_at: paid ? expect.stringMatching(TIMESTAMP) : null,
        transaction_code: paid ? expect.stringMatching(/^\S+$/) : null,
        momo_receipt_number: paid ? expect.stringMatching(/^\S+$/) : null,
      });
      expect(item.result_desc).toBeString();
      expect(item.result_desc).not.toBe("");
      await scene.close();
    });
  }

  test("completed_at is when it happened, in Nairobi", async () => {
    const scene = await openScene({ startMs: Date.UTC(2026, 10, 20, 20, 59, 58) });
    const { checkout_request_id } = await scene.start();
    await scene.harness.advance(3000);
    expect(await see(scene, checkout_request_id)).toMatchObject({
      created_at: "2026-11-20 23:59:58",
      completed_at: "2026-11-21 00:00:01",
    });
    await scene.close();
  });
});

describe("final states never change; polling changes nothing", () => {
  for (const { status, phone, afterMs } of STATES) {
    test(`${status} by ${phone} is the same a day later`, async () => {
      const scene = await openScene();
      const { checkout_request_id } = await scene.start({ phone });
      await scene.harness.advance(afterMs);
      const first = await see(scene, checkout_request_id);
      await scene.harness.advance(24 * 60 * 60 * 1000);
      expect(await see(scene, checkout_request_id)).toEqual(first);
      await scene.close();
    });
  }
});

describe("the prompt timeout is 60 s; then expired, whatever the network says or does not say", () => {
  test("an outcome that would come later is too late", async () => {
    const scene = await openScene();
    const headers = { "X-Sandbox-Outcome": "completed; after=60s" };
    const json = { payment_account_id: scene.caller.accountId, phone: "0712345678", amount: 1 };
    const { body } = await scene.send({ path: "/stkpush.php", headers, json });
    await scene.harness.advance(120_000);
    const item = await see(scene, String(body.checkout_request_id));
    expect(item).toMatchObject({ status: "expired", result_code: 1019, completed_at: null, transaction_code: null });
    await scene.close();
  });
});
