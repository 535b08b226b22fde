import { describe, expect, test } from "bun:test";
import type { ResponseForm } from "../../src/http/answers.ts";
import { openScene, payment } from "../support/scenario.ts";

const ITEM_SHORT = [
  "id",
  "type",
  "status",
  "amount",
  "fee_amount",
  "fee_deducted",
  "phone",
  "transaction_code",
  "created_at",
  "completed_at",
];
/** What §4.3 says that items of the shorter form lack. */
const ITEM_FULL_ONLY = [
  "kind",
  "is_deposit",
  "credit_target",
  "payment_link_id",
  "result_code",
  "result_desc",
  "merchant_request_id",
  "checkout_request_id",
  "momo_receipt_number",
];

const MEMBERS: Record<ResponseForm, { start: string[]; status: string[]; list: string[]; item: string[] }> = {
  full: {
    start: ["success", "message", "transaction_id", "checkout_request_id", "merchant_request_id"],
    status: [
      "success",
      "message",
      "status",
      "amount",
      "fee_amount",
      "phone",
      "transaction_code",
      "momo_receipt_number",
      "checkout_request_id",
      "merchant_request_id",
      "result_code",
      "result_desc",
      "created_at",
      "completed_at",
    ],
    list: ["success", "message", "transactions", "summary", "pagination", "filters_applied"],
    item: [...ITEM_SHORT, ...ITEM_FULL_ONLY],
  },
  short: {
    start: ["success", "message", "checkout_request_id", "merchant_request_id"],
    status: ["success", "message", "status", "amount", "phone", "transaction_code", "created_at"],
    list: ["success", "message", "data", "pagination", "filters_applied"],
    item: ITEM_SHORT,
  },
};

const names = (value: unknown) => Object.keys(value as object).sort();

for (const form of ["full", "short"] as const) {
  const members = MEMBERS[form];
  const arrayName = form === "full" ? "transactions" : "data";

  describe(`the ${form} form has exactly these members`, () => {
    test("POST /stkpush.php", async () => {
      const scene = await openScene({ form });
      const { body } = await scene.send({ path: "/stkpush.php", json: payment(scene.caller) });
      expect(names(body)).toEqual(members.start.toSorted());
      await scene.close();
    });

    test("POST /status.php and the items of GET /transactions.php, in every state", async () => {
      const scene = await openScene({ form });
      const phones = ["254700000000", "254700000001", "254700000032", "254700000019", "254712345678"];
      const ids: string[] = [];
      for (const phone of phones.slice(0, -1)) ids.push((await scene.start({ phone })).checkout_request_id);
      await scene.harness.advance(60_000);
      ids.push((await scene.start({ phone: phones.at(-1) })).checkout_request_id);
      const states: unknown[] = [];
      for (const checkout_request_id of ids) {
        const { body } = await scene.send({ path: "/status.php", json: { checkout_request_id } });
        expect(names(body)).toEqual(members.status.toSorted());
        states.push(body.status);
      }
      expect(states).toEqual(["completed", "failed", "cancelled", "expired", "pending"]);

      const { body } = await scene.send({ path: "/transactions.php" });
      expect(names(body)).toEqual(members.list.toSorted());
      expect(names(body.pagination)).toEqual(["current_page", "per_page", "total_items", "total_pages"]);
      const items = body[arrayName] as Record<string, unknown>[];
      expect(items).toHaveLength(5);
      for (const item of items) {
        expect(names(item)).toEqual(members.item.toSorted());
        expect(item.fee_deducted).toBe(item.status === "completed");
        expect(item.completed_at === null).toBe(item.status !== "completed");
      }
      await scene.close();
    });

    test("failures are exactly success and message", async () => {
      const scene = await openScene({ form });
      for (const spec of [
        { path: "/stkpush.php", json: {} },
        { path: "/status.php", json: { checkout_request_id: "x" } },
        { path: "/transactions.php?limit=0" },
        { path: "/transactions.php", as: "nobody" } as const,
        { path: "/nothing" },
      ]) {
        const { status, body } = await scene.send(spec);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(body).toEqual({ success: false, message: expect.any(String) });
      }
      await scene.close();
    });
  });
}

describe("the transaction of §2.2 and the summary of §2.4, in the full form", () => {
  test("the types of a pending item", async () => {
    const scene = await openScene();
    const { transaction_id, checkout_request_id, merchant_request_id } = await scene.start({ amount: 150.5 });
    const { body } = await scene.send({ path: "/transactions.php" });
    expect(body.transactions).toEqual([
      {
        id: transaction_id,
        kind: "api",
        type: "API",
        status: "pending",
        amount: 150.5,
        fee_amount: 1.51,
        fee_deducted: false,
        phone: "254712345678",
        transaction_code: null,
        momo_receipt_number: null,
        checkout_request_id,
        merchant_request_id,
        is_deposit: false,
        credit_target: null,
        payment_link_id: null,
        result_code: null,
        result_desc: null,
        created_at: "2026-11-20 10:00:00",
        completed_at: null,
      },
    ]);
    expect(body.summary).toEqual({
      total_completed_amount: 0,
      completed_count: 0,
      pending_count: 1,
      failed_count: 0,
    });
    await scene.close();
  });
});
