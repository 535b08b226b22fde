import { describe, expect, test } from "bun:test";
import { describeScenarios, openScene, payment, type Scenario, withRawMember } from "../support/scenario.ts";

describe("Success, HTTP 200: success, message, transaction_id, checkout_request_id, merchant_request_id", () => {
  test("their types and shapes", async () => {
    const scene = await openScene();
    const { headers, body } = await scene.send({ path: "/stkpush.php", json: payment(scene.caller) });
    expect(body).toEqual({
      success: true,
      message: expect.any(String),
      transaction_id: expect.any(Number),
      checkout_request_id: expect.stringMatching(/^ws_CO_[0-9]+_[0-9A-Za-z]+$/),
      merchant_request_id: expect.stringMatching(/^ws_MR_[0-9]+_[0-9A-Za-z]+$/),
    });
    expect(body.transaction_id).toBeInteger();
    expect(headers.get("Cache-Control")).toBe("no-store");
    await scene.close();
  });

  test.each(["1", "100.50", "2.675e2", "999999999.99"])(
    "the amount %s is shown as it was sent, to the cent",
    async (json) => {
      const scene = await openScene();
      const { checkout_request_id } = await scene.start({}, withRawMember(scene, "amount", json));
      const status = await scene.send({ path: "/status.php", json: { checkout_request_id } });
      expect(status.body.amount).toBe(Number(json));
      await scene.close();
    },
  );

  test("the same order twice is two payments with identifiers of their own", async () => {
    const scene = await openScene();
    const started = [await scene.start({ reference: "A" }), await scene.start({ reference: "A" })];
    for (const member of ["transaction_id", "checkout_request_id", "merchant_request_id"] as const) {
      expect(new Set(started.map((one) => one[member])).size).toBe(2);
    }
    await scene.close();
  });
});

const BAD_ACCOUNTS = ["1.5", "1e999", "9007199254740993", '"1"', '""', "true", "null", "[]", "[1]", "{}"];

describeScenarios("payment_account_id: an integer; else 400", [
  ...BAD_ACCOUNTS.map(
    (json): Scenario => ({
      name: json,
      request: (scene) => withRawMember(scene, "payment_account_id", json),
      status: 400,
      contains: { message: ["payment_account_id must be a whole number", "payment account"] },
      lacks: ["amount", "phone"],
    }),
  ),
  {
    name: "left out",
    request: { path: "/stkpush.php", json: { phone: "0712345678", amount: 1 } },
    status: 400,
    contains: { message: "payment_account_id is missing" },
  },
  {
    name: "1.0 is an integer",
    request: (scene) => withRawMember(scene, "payment_account_id", `${scene.caller.accountId}.0`),
    status: 200,
  },
  {
    name: "an unknown one",
    request: (scene) => withRawMember(scene, "payment_account_id", "999999"),
    status: 400,
    contains: { message: "payment_account_id" },
  },
  {
    name: "the largest integer",
    request: (scene) => withRawMember(scene, "payment_account_id", "9007199254740991"),
    status: 400,
    contains: { message: "payment_account_id" },
  },
]);

describe("payment_account_id: unknown, or another merchant's: 400, the same message for both", () => {
  test("the bodies are the same, byte for byte", async () => {
    const scene = await openScene();
    const answers = [];
    for (const accountId of [scene.other.accountId, 999_999, 9_007_199_254_740_991, 0, -1]) {
      answers.push(await scene.send({ path: "/stkpush.php", json: payment({ ...scene.caller, accountId }) }));
    }
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(answer.text).toBe(answers[0]?.text ?? "");
    }
    const { body } = await scene.send({ path: "/transactions.php", as: "other" });
    expect(body.transactions).toEqual([]);
    await scene.close();
  });
});

describeScenarios("the message names every member that does not fit", [
  {
    name: "an empty object",
    request: { path: "/stkpush.php", json: {} },
    status: 400,
    contains: { message: ["payment_account_id is missing", "phone is missing", "amount is missing"] },
    lacks: ["reference", "description"],
  },
  {
    name: "all five wrong",
    request: {
      path: "/stkpush.php",
      json: { payment_account_id: "x", phone: 1, amount: "x", reference: 1, description: 1 },
    },
    status: 400,
    contains: { message: ["payment_account_id", "phone", "amount", "reference", "description"] },
    lacks: ["missing"],
  },
  {
    name: "names in another letter case are not the members",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      json: { Payment_Account_Id: caller.accountId, PHONE: "0712345678", Amount: 1 },
    }),
    status: 400,
    contains: { message: "amount is missing" },
  },
]);

describeScenarios("push refused by the network: 500, STK push initiation failed: …; no transaction is stored", [
  {
    name: "the test phone",
    request: ({ caller }) => ({ path: "/stkpush.php", json: { ...payment(caller), phone: "254700000500" } }),
    status: 500,
    contains: { message: "STK push initiation failed: " },
  },
  {
    name: "the test phone in its other shape",
    request: ({ caller }) => ({ path: "/stkpush.php", json: { ...payment(caller), phone: "0700000500" } }),
    status: 500,
    contains: { message: "STK push initiation failed: " },
  },
  {
    name: "the request header X-Sandbox-Outcome",
    request: ({ caller }) => ({
      path: "/stkpush.php",
      headers: { "X-Sandbox-Outcome": "refused" },
      json: payment(caller),
    }),
    status: 500,
    contains: { message: "STK push initiation failed: " },
  },
]);

describeScenarios("the request header X-Sandbox-Outcome: NAME[; after=DURATION]", [
  ...["completed", "cancelled; after=250ms", "wrong_pin;after=1h", "manual", "silent"].map(
    (value): Scenario => ({
      name: value,
      request: ({ caller }) => ({
        path: "/stkpush.php",
        headers: { "X-Sandbox-Outcome": value },
        json: payment(caller),
      }),
      status: 200,
    }),
  ),
  ...["", "nothing", "completed; after=3", "manual; after=3s"].map(
    (value): Scenario => ({
      name: `not "${value}"`,
      request: ({ caller }) => ({
        path: "/stkpush.php",
        headers: { "X-Sandbox-Outcome": value },
        json: payment(caller),
      }),
      status: 400,
      contains: { message: "X-Sandbox-Outcome" },
    }),
  ),
]);
