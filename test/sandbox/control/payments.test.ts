import { describe, expect, test } from "bun:test";
import { createTestPayments } from "../../../sandbox/control/test-payments.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();

const start = (changes: object = {}, headers = {}) =>
  sandbox.call("POST", "/payments", { json: { ...payment(sandbox.caller), kind: "web", ...changes }, headers });

describe("POST /_momo/payments: a test payment of any kind", () => {
  test.each(["api", "web", "wallet_deposit", "credit_topup"])("%s", async (kind) => {
    const answer = await start({ kind });
    expect(answer.status, answer.text).toBe(200);
    expectSoundAnswer(answer);
    expect(answer.body).toEqual({
      success: true,
      message: expect.any(String),
      transaction_id: expect.any(Number),
      checkout_request_id: expect.stringMatching(/^ws_CO_/),
      merchant_request_id: expect.stringMatching(/^ws_MR_/),
    });
    expect(await sandbox.list()).toMatchObject([
      { id: answer.body.transaction_id, kind, type: kind.toUpperCase(), is_deposit: kind === "wallet_deposit" },
    ]);
  });

  test.each([
    ["the console", { "Sec-Fetch-Site": "same-origin" }, "console"],
    ["another program", {}, "control_api"],
  ])("its story says that %s started it", async (_who, headers, started_by) => {
    const { body } = await start({}, headers);
    expect(await sandbox.control("GET", `/transactions/${body.checkout_request_id}`)).toMatchObject({ started_by });
  });

  test("it belongs to the merchant of the payment account", async () => {
    await start(payment(sandbox.other));
    const { body } = await sandbox.ask("GET", "/transactions.php", { headers: sandbox.other.headers });
    expect(body.transactions).toMatchObject([{ kind: "web" }]);
    expect(await sandbox.list()).toEqual([]);
  });

  test("outcome decides its result", async () => {
    await start({ outcome: "cancelled; after=1s" });
    await sandbox.advanceClock("1s");
    expect(await sandbox.list()).toMatchObject([{ status: "cancelled", result_code: 1032 }]);
  });

  test.each<[what: string, changes: object, status: number, says: string]>([
    ["no kind", { kind: undefined }, 400, "kind is missing: it must be one of api, web, wallet_deposit, credit_topup"],
    ["an unknown kind", { kind: "WEB" }, 400, "kind must be one of"],
    ["a kind that is no string", { kind: 1 }, 400, "kind must be one of"],
    ["an unknown account", { payment_account_id: 999_999 }, 400, "payment_account_id is not"],
    ["an outcome that is no string", { outcome: 1 }, 400, "outcome must be a string"],
    ["an unknown outcome", { outcome: "nothing" }, 400, "outcome is not the name of an outcome"],
    ["a refused phone", { phone: "254700000500" }, 500, "STK push initiation failed: "],
  ])("%s is refused", async (_what, changes, status, says) => {
    const json = { ...payment(sandbox.caller), kind: "web", ...changes };
    expect(await sandbox.refusal("POST", "/payments", json, status)).toStartWith(says);
    expect(await sandbox.list()).toEqual([]);
  });
});

test("the starters of the last 1,000 test payments are known", () => {
  const started = createTestPayments();
  for (let number = 0; number < 1000; number += 1) started.note(`ws_CO_${number}`, "console");
  expect(started.starterOf("ws_CO_0")).toBe("console");
  started.note("ws_CO_1000", "control_api");
  expect([started.starterOf("ws_CO_0"), started.starterOf("ws_CO_1000")]).toEqual([null, "control_api"]);
});
