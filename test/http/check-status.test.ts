import { describe, expect, test } from "bun:test";
import { receiptNumber, transactionCode } from "../../src/domain/identifiers.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import { forAllTests } from "../support/cleanup.ts";
import { openScene, type Scene } from "../support/scene.ts";

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

test("timestamps are Nairobi's, and completed_at is when the customer paid", async () => {
  const scene = await openScene({ startMs: Date.UTC(2026, 10, 20, 20, 59, 58) });
  const { checkout_request_id } = await scene.start();
  await scene.advance(9000);
  expect(await see(scene, checkout_request_id)).toMatchObject({
    created_at: "2026-11-20 23:59:58",
    completed_at: "2026-11-21 00:00:01",
  });
  await scene.close();
});
