import { describe, expect, test } from "bun:test";
import { openControl } from "../../support/control.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { forAllTests } from "../../support/use.ts";

const scene = forAllTests(openControl);

const listed = async (as: "caller" | "other" = "caller") =>
  (await scene.send({ path: "/transactions.php?limit=100", as })).body.transactions as Record<string, unknown>[];

describe("POST /_momo/payments: a test payment of any kind", () => {
  for (const kind of ["api", "web", "wallet_deposit", "credit_topup"]) {
    test(kind, async () => {
      const answer = await scene.call("POST", "/payments", { json: { ...payment(scene.caller), kind } });
      expect(answer.status, answer.text).toBe(200);
      expectSoundAnswer(answer);
      expect(answer.body).toEqual({
        success: true,
        message: expect.any(String),
        transaction_id: expect.any(Number),
        checkout_request_id: expect.stringMatching(/^ws_CO_/),
        merchant_request_id: expect.stringMatching(/^ws_MR_/),
      });
      const item = (await listed()).find(({ id }) => id === answer.body.transaction_id);
      expect(item).toMatchObject({ kind, type: kind.toUpperCase(), is_deposit: kind === "wallet_deposit" });
    });
  }

  test.each([
    ["the console", { "Sec-Fetch-Site": "same-origin" }, "console"],
    ["another program", {}, "control_api"],
  ])("its story says that %s started it", async (_who, headers, started_by) => {
    const json = { ...payment(scene.caller), kind: "api" };
    const { body } = await scene.call("POST", "/payments", { json, headers });
    expect((await scene.call("GET", `/transactions/${body.checkout_request_id}`)).body).toMatchObject({ started_by });
  });

  test("it belongs to the merchant of the payment account", async () => {
    const before = (await listed()).length;
    await scene.call("POST", "/payments", { json: { ...payment(scene.other), kind: "web", reference: "R" } });
    expect(await listed("other")).toMatchObject([{ kind: "web" }]);
    expect(await listed()).toHaveLength(before);
  });

  test("outcome decides what becomes of it", async () => {
    const json = { ...payment(scene.caller), kind: "web", outcome: "cancelled; after=1s" };
    const { body } = await scene.call("POST", "/payments", { json });
    await scene.advance(1000);
    const item = (await listed()).find(({ id }) => id === body.transaction_id);
    expect(item).toMatchObject({ status: "cancelled", result_code: 1032 });
  });
});

describe("the message names the member, what is wrong and what would be right", () => {
  const BAD: [name: string, members: Record<string, unknown>, status: number, says: string][] = [
    ["no kind", { kind: undefined }, 400, "kind is missing: it must be one of api, web, wallet_deposit, credit_topup"],
    ["an unknown kind", { kind: "WEB" }, 400, "kind must be one of"],
    ["a kind that is no string", { kind: 1 }, 400, "kind must be one of"],
    ["an unknown account", { payment_account_id: 999_999 }, 400, "payment_account_id is not"],
    ["an outcome that is no string", { outcome: 1 }, 400, "outcome must be a string"],
    ["an unknown outcome", { outcome: "nothing" }, 400, "outcome is not the name of an outcome"],
    ["a refused phone", { phone: "254700000500" }, 500, "STK push initiation failed: "],
  ];
  for (const [name, members, status, says] of BAD) {
    test(name, async () => {
      const before = (await listed()).length;
      const json = { ...payment(scene.caller), kind: "web", ...members };
      const answer = await scene.call("POST", "/payments", { json });
      expect(answer.status).toBe(status);
      expectSoundAnswer(answer);
      expect(answer.body.message).toStartWith(says);
      expect(await listed()).toHaveLength(before);
    });
  }
});
