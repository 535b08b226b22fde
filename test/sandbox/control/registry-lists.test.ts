import { describe, expect, test } from "bun:test";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const list = (path: string) => sandbox.control("GET", path);

describe("GET /_momo/merchants, /accounts and /keys: records as the commands print them", () => {
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
    await sandbox.control("POST", "/accounts", { name: "Till", fee: "1.5%+10" });
    const first = [
      { id: 1, merchant_id: 1, name: "Main account", fee: "1%" },
      { id: 3, merchant_id: 1, name: "Till", fee: "1.5%+10" },
    ];
    expect(await list("/accounts")).toMatchObject({ message: "2 payment accounts", accounts: first });
    expect(await list("/accounts?merchant_id=1")).toMatchObject({ accounts: first });
    expect((await list("/accounts?merchant_id=2")).accounts).toEqual([
      { id: 2, merchant_id: 2, name: "Main account", fee: "1%" },
    ]);
  });

  test("the keys of one merchant, also the revoked ones, and never a secret", async () => {
    const { api_key, api_secret } = await sandbox.control("POST", "/keys", { label: "staging" });
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

  for (const path of ["/accounts", "/keys"]) {
    test.each([
      ["99", 404, "there is no merchant 99"],
      ["0", 400, "merchant_id must be a whole number"],
      ["-1", 400, "merchant_id must be"],
      ["1e1", 400, "merchant_id must be"],
      ["", 400, "merchant_id must be"],
      ["9999999999999999", 400, "merchant_id must be"],
      ["1&merchant_id=2", 400, "merchant_id is given twice"],
    ])(`${path}?merchant_id=%s: %d`, async (id, status, says) => {
      const refused = await sandbox.call("GET", `${path}?merchant_id=${id}`);
      expect(refused.status).toBe(status);
      expectSoundAnswer(refused);
      expect(refused.body.message).toStartWith(says);
    });
  }
});

describe("DELETE /_momo/keys/API_KEY revokes", () => {
  test("the next request with it is refused, other keys are not", async () => {
    const { api_key, api_secret } = await sandbox.control("POST", "/keys", { label: "staging" });
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
  });

  test("404: an unknown key, or one that is revoked already", async () => {
    const { api_key } = await sandbox.control("POST", "/keys", { label: "staging" });
    await sandbox.control("DELETE", `/keys/${api_key}`);
    for (const key of [api_key, "mk_nobody", "1", "%00", "x%2Fy"]) {
      const refused = await sandbox.call("DELETE", `/keys/${key}`);
      expect(refused.status).toBe(404);
      expectSoundAnswer(refused);
    }
  });
});
