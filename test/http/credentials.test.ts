import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../support/harness.ts";
import { expectSoundAnswer, openScene, payment, type Scene } from "../support/scenario.ts";

let scene: Scene;
let revoked: Caller;

beforeAll(async () => {
  scene = await openScene();
  revoked = await scene.harness.addCaller("Third Shop");
  await scene.harness.service.registry.revokeKey(revoked.key.apiKey);
});
afterAll(() => scene.close());

/** Headers that let nobody in. */
const BAD: Record<string, (scene: Scene) => Record<string, string>> = {
  "no header": () => ({}),
  "the key alone": ({ caller }) => ({ "X-API-Key": caller.key.apiKey }),
  "the secret alone": ({ caller }) => ({ "X-API-Secret": caller.key.apiSecret }),
  "an unknown key": ({ caller }) => ({ ...caller.headers, "X-API-Key": "mk_000000000000000000000000" }),
  "a wrong secret": ({ caller }) => ({ ...caller.headers, "X-API-Secret": "ms_wrong" }),
  "another merchant's secret": ({ caller, other }) => ({ ...caller.headers, "X-API-Secret": other.key.apiSecret }),
  "a revoked key": () => revoked.headers,
  "a revoked key with a wrong secret": () => ({ ...revoked.headers, "X-API-Secret": "ms_wrong" }),
  "empty values": () => ({ "X-API-Key": "", "X-API-Secret": "" }),
  "key and secret exchanged": ({ caller }) => ({
    "X-API-Key": caller.key.apiSecret,
    "X-API-Secret": caller.key.apiKey,
  }),
  "the key in capital letters": ({ caller }) => ({ ...caller.headers, "X-API-Key": caller.key.apiKey.toUpperCase() }),
  "the secret in capital letters": ({ caller }) => ({
    ...caller.headers,
    "X-API-Secret": caller.key.apiSecret.toUpperCase(),
  }),
  "a secret cut short": ({ caller }) => ({ ...caller.headers, "X-API-Secret": caller.key.apiSecret.slice(0, -1) }),
  "SQL for a key": ({ caller }) => ({ ...caller.headers, "X-API-Key": "' OR 1=1 --" }),
  "a long key": ({ caller }) => ({ ...caller.headers, "X-API-Key": "k".repeat(10_000) }),
  "letters beyond ASCII": ({ caller }) => ({ ...caller.headers, "X-API-Secret": "\xff\xe9" }),
  "the credentials as a Bearer token": ({ caller }) => ({ Authorization: `Bearer ${caller.key.apiKey}` }),
};

const OPERATIONS = [
  { method: "POST", path: "/stkpush.php" },
  { method: "POST", path: "/status.php" },
  { method: "GET", path: "/transactions.php" },
];

describe("wrong key, wrong secret and revoked answer alike: 401, byte for byte", () => {
  for (const [name, headersOf] of Object.entries(BAD)) {
    test(name, async () => {
      const alike = await scene.send({ path: "/transactions.php", as: "nobody" });
      for (const operation of OPERATIONS) {
        const answer = await scene.send({ ...operation, as: "nobody", headers: headersOf(scene) });
        expect(answer.status).toBe(401);
        expectSoundAnswer(answer);
        expect(answer.text).toBe(alike.text);
        expect([...answer.headers]).toEqual([...alike.headers]);
      }
    });
  }

  test("the message names both headers", async () => {
    const { body } = await scene.send({ path: "/transactions.php", as: "nobody" });
    expect(body.message).toContain("X-API-Key");
    expect(body.message).toContain("X-API-Secret");
  });
});

describe("every request carries two HTTP headers", () => {
  test("their names may be in any letter case", async () => {
    const { apiKey, apiSecret } = scene.caller.key;
    for (const headers of [
      { "x-api-key": apiKey, "x-api-secret": apiSecret },
      { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret },
    ]) {
      expect((await scene.send({ path: "/transactions.php", as: "nobody", headers })).status).toBe(200);
    }
  });

  test("a second key of a merchant works beside the first, and after the first is revoked", async () => {
    const { harness } = scene;
    const first = await harness.addCaller("Fourth Shop");
    const second = await harness.service.registry.issueKey(first.merchantId, "second");
    const headers = { "X-API-Key": second.apiKey, "X-API-Secret": second.apiSecret };
    await scene.start(payment(first), { as: "nobody", headers });
    expect((await scene.send({ path: "/transactions.php", as: "nobody", headers: first.headers })).status).toBe(200);
    await harness.service.registry.revokeKey(first.key.apiKey);
    expect((await scene.send({ path: "/transactions.php", as: "nobody", headers: first.headers })).status).toBe(401);
    const { body } = await scene.send({ path: "/transactions.php", as: "nobody", headers });
    expect(body.transactions).toHaveLength(1);
  });
});
