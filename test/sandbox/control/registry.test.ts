import { describe, expect, test } from "bun:test";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const create = (path: string, json: object) => sandbox.control("POST", path, json);

describe("POST /_momo/merchants, /accounts and /keys: create, as the commands do", () => {
  test("a merchant, with an account and a key that works at once", async () => {
    const merchant = await create("/merchants", { name: "  Third Shop " });
    expect(merchant).toEqual({ success: true, message: "the merchant is registered", id: 3, name: "Third Shop" });
    const account = await create("/accounts", { name: "Till", merchant_id: 3, fee: "1.5%+10" });
    expect(account).toMatchObject({ id: 3, merchant_id: 3, name: "Till", fee: "1.5%+10" });
    const { api_key, api_secret, ...rest } = await create("/keys", { label: "staging", merchant_id: 3 });
    expect(rest).toMatchObject({ success: true, merchant_id: 3, label: "staging" });
    const headers = { "X-API-Key": String(api_key), "X-API-Secret": String(api_secret) };
    const id = await sandbox.pay({ payment_account_id: 3, amount: 1000 }, headers);
    const { body } = await sandbox.ask("GET", "/transactions.php", { headers });
    expect(body.transactions).toMatchObject([{ checkout_request_id: id, fee_amount: 25 }]);
    expect((await sandbox.control("GET", "/prompts")).prompts).toMatchObject([{ business: "Third Shop" }]);
  });

  test("by default for the first merchant, and with the default tariff", async () => {
    expect(await create("/accounts", { name: "Till" })).toMatchObject({ merchant_id: 1, fee: "1%" });
    expect(await create("/keys", { label: "x" })).toMatchObject({ merchant_id: 1 });
  });
});

describe("bad input", () => {
  const BAD: [path: string, body: unknown, status: number, says: string][] = [
    ["/merchants", {}, 400, "name: "],
    ["/merchants", { name: 5 }, 400, "name: "],
    ["/merchants", { name: "" }, 400, "name"],
    ["/merchants", { name: "   " }, 400, "name"],
    ["/merchants", { name: "x".repeat(1000) }, 400, "name"],
    ["/merchants", { name: "two\nlines" }, 400, "name"],
    ["/merchants", { name: "Shop", id: 9 }, 400, 'there is no member "id"; the members are '],
    ["/merchants", ["Shop"], 400, "the body must be a JSON object"],
    ["/accounts", { name: "" }, 400, "name"],
    ["/accounts", { name: "Till", fee: "-1%" }, 400, "fee: it "],
    ["/accounts", { name: "Till", fee: 1 }, 400, "fee: "],
    ["/accounts", { name: "Till", merchant_id: "1" }, 400, "merchant_id: "],
    ["/accounts", { name: "Till", merchant_id: 0 }, 400, "merchant_id: "],
    ["/accounts", { name: "Till", merchant_id: 99 }, 404, "there is no merchant 99"],
    ["/keys", { label: "" }, 400, "label"],
    ["/keys", { merchant_id: 1 }, 400, "label: "],
    ["/keys", { label: "x", secret: "mine" }, 400, 'there is no member "secret"; the members are '],
    ["/keys", { label: "x", merchant_id: 99 }, 404, "there is no merchant 99"],
  ];
  for (const [path, body, status, says] of BAD) {
    test(`${path} ${JSON.stringify(body).slice(0, 50)}: ${status}`, async () => {
      const { registry } = sandbox.harness.service;
      const count = async () =>
        (await registry.listMerchants()).length +
        (await registry.listAccounts(1)).length +
        (await registry.listKeys(1)).length;
      const before = await count();
      const refused = await sandbox.call("POST", path, { json: body });
      expect(refused.status).toBe(status);
      expectSoundAnswer(refused);
      expect(refused.body.message).toStartWith(says);
      expect(await count()).toBe(before);
    });
  }
});
