import { describe, expect, test } from "bun:test";
import { forEachTest } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";

const sandbox = forEachTest(openScene);

const list = (path: string) => sandbox.control("GET", path);
const create = (path: string, json: object) => sandbox.control("POST", path, json);

describe("POST /_momo/merchants, /accounts and /keys", () => {
  test("create a merchant, with an account and a key that works at once", async () => {
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
    expect((await list("/prompts")).prompts).toMatchObject([{ business: "Third Shop" }]);
  });

  test("by default for the first merchant, and with the default tariff", async () => {
    expect(await create("/accounts", { name: "Till" })).toMatchObject({ merchant_id: 1, fee: "1%" });
    expect(await create("/keys", { label: "x" })).toMatchObject({ merchant_id: 1 });
  });

  test("refuse bad input, and create nothing", async () => {
    const all = () => Promise.all(["/merchants", "/accounts", "/keys"].map(list));
    const before = await all();
    const BAD: [path: string, body: unknown, status: number, says: string][] = [
      ["/merchants", {}, 400, "name "],
      ["/merchants", { name: 5 }, 400, "name "],
      ["/merchants", { name: "x".repeat(101) }, 400, "name"],
      ["/merchants", { name: "a\u001bb" }, 400, 'name must be 1 to 100 characters on one line; it is "a\\u001bb"'],
      ["/merchants", { name: "Shop", id: 9 }, 400, 'there is no member "id"; the members are '],
      ["/merchants", ["Shop"], 400, "the body must be a JSON object"],
      ["/accounts", { name: "" }, 400, "name must be 1 to 100 characters"],
      ["/accounts", { name: "Till", fee: "-1%" }, 400, "fee is "],
      ["/accounts", { name: "Till", merchant_id: 0 }, 400, "merchant_id "],
      ["/accounts", { name: "Till", merchant_id: 99 }, 404, "there is no merchant 99"],
      ["/keys", { label: "" }, 400, "label must be 1 to 100 characters"],
      ["/keys", { merchant_id: 1 }, 400, "label "],
      ["/keys", { label: "x", secret: "mine" }, 400, 'there is no member "secret"; the members are '],
      ["/keys", { label: "x", merchant_id: 99 }, 404, "there is no merchant 99"],
    ];
    for (const [path, body, status, says] of BAD) {
      expect(await sandbox.refusal("POST", path, body, status)).toStartWith(says);
    }
    expect(await all()).toEqual(before);
  });
});

describe("GET /_momo/merchants, /accounts and /keys", () => {
  test("merchants, oldest first", async () => {
    expect(await list("/merchants")).toEqual({
      success: true,
      message: "2 merchants",
      merchants: [
        { id: 1, name: "First Shop" },
        { id: 2, name: "Second Shop" },
      ],
    });
  });

  test("the accounts of one merchant, by default of the first", async () => {
    await create("/accounts", { name: "Till", fee: "1.5%+10" });
    const accounts = [
      { id: 1, merchant_id: 1, name: "Main account", fee: "1%" },
      { id: 3, merchant_id: 1, name: "Till", fee: "1.5%+10" },
    ];
    expect(await list("/accounts")).toMatchObject({ message: "2 payment accounts", accounts });
    expect((await list("/accounts?merchant_id=1")).accounts).toEqual(accounts);
    expect((await list("/accounts?merchant_id=2")).accounts).toEqual([
      { id: 2, merchant_id: 2, name: "Main account", fee: "1%" },
    ]);
  });

  test("the keys of one merchant, also the revoked ones, and never a secret", async () => {
    const { api_key, api_secret } = await create("/keys", { label: "staging" });
    await sandbox.control("DELETE", `/keys/${api_key}`);
    const answer = await sandbox.call("GET", "/keys");
    expect(answer.body.keys).toEqual([
      { api_key: sandbox.caller.key.apiKey, merchant_id: 1, label: "test", revoked: false },
      { api_key, merchant_id: 1, label: "staging", revoked: true },
    ]);
    expect(answer.text).not.toContain(String(api_secret));
    expect(answer.text).not.toContain("ms_");
    expect(await list("/keys?merchant_id=2")).toMatchObject({
      message: "1 key",
      keys: [{ api_key: sandbox.other.key.apiKey, merchant_id: 2 }],
    });
  });

  test("a bad merchant_id is refused", async () => {
    for (const path of ["/accounts", "/keys"]) {
      for (const [id, status, says] of [
        ["99", 404, "there is no merchant 99"],
        ["x", 400, 'merchant_id must be a whole number, the id of a merchant; it is "x"'],
        ["0", 400, "merchant_id must be"],
        ["", 400, "merchant_id must be"],
        ["9999999999999999", 400, "merchant_id must be"],
        ["1&merchant_id=2", 400, "merchant_id is given twice"],
      ] as const) {
        expect(await sandbox.refusal("GET", `${path}?merchant_id=${id}`, undefined, status)).toStartWith(says);
      }
    }
  });
});

describe("DELETE /_momo/keys/API_KEY", () => {
  test("the next request with the key is refused; other keys go on", async () => {
    const { api_key, api_secret } = await create("/keys", { label: "staging" });
    const headers = { "X-API-Key": String(api_key), "X-API-Secret": String(api_secret) };
    expect((await sandbox.ask("GET", "/transactions.php", { headers })).status).toBe(200);
    expect(await sandbox.control("DELETE", `/keys/${api_key}`)).toEqual({
      success: true,
      message: "the key is revoked",
      api_key,
      revoked: true,
    });
    expect((await sandbox.ask("GET", "/transactions.php", { headers })).status).toBe(401);
    expect((await sandbox.ask("GET", "/transactions.php")).status).toBe(200);
    for (const unknown of [api_key, "mk_nobody", "1", "%00", "x%2Fy"]) {
      await sandbox.refusal("DELETE", `/keys/${unknown}`, undefined, 404);
    }
  });
});
