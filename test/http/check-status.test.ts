import { describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario } from "../support/scenario.ts";

const BAD_IDS: unknown[] = ["", 1, true, null, [], ["ws_CO_1_A"], {}, "x".repeat(101), "\ud83d"];

describeScenarios("POST /status.php: checkout_request_id is required, a string; else 400", [
  ...BAD_IDS.map(
    (checkout_request_id): Scenario => ({
      name: JSON.stringify(checkout_request_id).slice(0, 30),
      request: { path: "/status.php", json: { checkout_request_id } },
      status: 400,
      contains: { message: "checkout_request_id must be a string" },
    }),
  ),
  {
    name: "left out",
    request: { path: "/status.php", json: {} },
    status: 400,
    contains: { message: "checkout_request_id is missing" },
  },
  {
    name: "the list's id in its place",
    request: { path: "/status.php", json: { transaction_id: 1, id: 1 } },
    status: 400,
    contains: { message: "checkout_request_id" },
  },
]);

describeScenarios("unknown checkout_request_id: 404", [
  ...["ws_CO_1_A", "x", "' OR 1=1 --", "ws_CO_%", "\0", "😀".repeat(100)].map(
    (checkout_request_id): Scenario => ({
      name: JSON.stringify(checkout_request_id).slice(0, 30),
      request: { path: "/status.php", json: { checkout_request_id } },
      status: 404,
      contains: { message: "checkout_request_id" },
    }),
  ),
]);

describe("or another merchant's: 404, the same body for both", () => {
  test("byte for byte; and its own merchant sees it", async () => {
    const scene = await openScene();
    const { checkout_request_id, merchant_request_id } = await scene.start();
    const ask = (id: string, as: "caller" | "other") =>
      scene.send({ path: "/status.php", as, json: { checkout_request_id: id } });
    const unknown = await ask("ws_CO_20112026100000_UNKNOWN", "other");
    expect(unknown.status).toBe(404);
    for (const answer of [await ask(checkout_request_id, "other"), await ask(merchant_request_id, "caller")]) {
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(unknown.text);
    }
    expect((await ask(checkout_request_id, "caller")).body).toMatchObject({ success: true, checkout_request_id });
    await scene.close();
  });
});

describe("Success, HTTP 200: the members and their types", () => {
  test("pending and completed", async () => {
    const scene = await openScene();
    const started = await scene.start({ amount: 99.5 });
    const json = { checkout_request_id: started.checkout_request_id };
    const shared = {
      success: true,
      message: expect.any(String),
      amount: 99.5,
      fee_amount: 1,
      phone: "254712345678",
      checkout_request_id: started.checkout_request_id,
      merchant_request_id: started.merchant_request_id,
      created_at: "2026-11-20 10:00:00",
    };
    expect((await scene.send({ path: "/status.php", json })).body).toEqual({
      ...shared,
      status: "pending",
      transaction_code: null,
      momo_receipt_number: null,
      result_code: null,
      result_desc: null,
      completed_at: null,
    });
    await scene.harness.advance(3000);
    expect((await scene.send({ path: "/status.php", json })).body).toEqual({
      ...shared,
      status: "completed",
      transaction_code: expect.any(String),
      momo_receipt_number: expect.any(String),
      result_code: 0,
      result_desc: expect.any(String),
      completed_at: "2026-11-20 10:00:03",
    });
    await scene.close();
  });
});
