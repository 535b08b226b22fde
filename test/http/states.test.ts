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

/** What a payment has only when it is paid. */
const UNPAID = { fee_deducted: false, completed_at: null, transaction_code: null, momo_receipt_number: null };

describe("each test phone leads to its state, at its time and not before, and there it stays", () => {
  for (const { status, phone, code, afterMs } of STATES) {
    test(`${phone}: ${status}, result code ${code}, after ${afterMs} ms`, async () => {
      const scene = await openScene();
      const { checkout_request_id } = await scene.start({ phone, amount: 12.5 });
      await scene.harness.advance(afterMs - 1);
      const pending = { status: "pending", result_code: null, result_desc: null, ...UNPAID };
      expect(await see(scene, checkout_request_id)).toMatchObject(pending);
      await scene.harness.advance(1);
      const item = await see(scene, checkout_request_id);
      const paid = {
        fee_deducted: true,
        completed_at: expect.stringMatching(TIMESTAMP),
        transaction_code: expect.stringMatching(/^\S+$/),
        momo_receipt_number: expect.stringMatching(/^\S+$/),
      };
      expect(item).toMatchObject({
        status,
        phone,
        amount: 12.5,
        fee_amount: 0.13,
        result_code: code,
        result_desc: expect.stringMatching(/./),
        created_at: "2026-11-20 10:00:00",
        ...(status === "completed" ? paid : UNPAID),
      });
      await scene.harness.advance(24 * 60 * 60 * 1000);
      expect(await see(scene, checkout_request_id)).toEqual(item);
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
