import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOST } from "../../support/control.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

let sandbox: Steered;
beforeEach(async () => {
  sandbox = await openSteered();
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "error", status: 503, times: 5 }] });
});
afterEach(() => sandbox.close());

const timesLeft = async () =>
  ((await sandbox.control("GET", "/faults")).faults as { times: number }[]).map(({ times }) => times);
const push = (headers: Record<string, string>) =>
  sandbox.ask("POST", "/stkpush.php", { json: payment(sandbox.caller), headers });

describe("faults strike only calls whose credentials are good", () => {
  for (const [whose, headers] of [
    ["without a key", { "X-API-Key": "", "X-API-Secret": "" }],
    ["with an unknown key", { "X-API-Key": "mk_no" }],
    ["with a wrong secret", { "X-API-Secret": "ms_no" }],
  ] as const) {
    test(whose, async () => {
      expect((await push(headers)).status).toBe(401);
      expect(await timesLeft()).toEqual([5]);
      expect(await sandbox.logged()).toMatchObject([{ status: 401, fault: null }]);
    });
  }

  test("with a key that was revoked", async () => {
    await sandbox.control("DELETE", `/keys/${sandbox.caller.key.apiKey}`);
    expect((await push({})).status).toBe(401);
    expect(await timesLeft()).toEqual([5]);
  });

  test("with a good key they do", async () => {
    expect((await push({})).status).toBe(503);
    expect(await timesLeft()).toEqual([4]);
  });
});

describe("a call that a browser sends from another site is refused before it is logged", () => {
  const FOREIGN: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
    { "Sec-Fetch-Site": "none", Origin: "chrome-extension://abc" },
    { Origin: "http://evil.example" },
    { Origin: "http://127.0.0.1:3000" },
    { Origin: `http://${HOST}.evil.example` },
    { Origin: "null" },
    { Origin: "" },
  ];
  for (const headers of FOREIGN) {
    test(JSON.stringify(headers), async () => {
      // With the key of a merchant too, and so for every fault.
      for (const [method, path] of [
        ["POST", "/stkpush.php"],
        ["POST", "/nothing"],
        ["OPTIONS", "/stkpush.php"],
        ["GET", "/transactions.php"],
        ["GET", "/../openapi.json"],
      ] as const) {
        const answer = await sandbox.ask(method, path, { headers });
        expect(answer.status, `${method} ${path}`).toBe(403);
        expectSoundAnswer(answer);
      }
      expect(await sandbox.logged()).toEqual([]);
      expect(await timesLeft()).toEqual([5]);
    });
  }

  const OURS: Record<string, string>[] = [
    {},
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "same-origin", Origin: `http://${HOST}` },
    { Origin: `http://${HOST}` },
    { Origin: "https://shop.example", Host: "shop.example" },
    { Origin: "https://shop.example", Host: "shop.example:443" },
    { Origin: "https://shop.example:8443", Host: "127.0.0.1:2547", "Sec-Fetch-Site": "same-origin" },
  ];
  for (const headers of OURS) {
    test(`a server, or a page of our own, is answered: ${JSON.stringify(headers)}`, async () => {
      await sandbox.control("DELETE", "/faults");
      expect((await push(headers)).status).toBe(200);
      expect(await sandbox.logged()).toHaveLength(1);
    });
  }
});
