import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../support/harness.ts";
import { expectSoundAnswer, openScene, type Scene } from "../support/scenario.ts";

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
  "an unknown key": ({ caller }) => ({ ...caller.headers, "X-API-Key": "mk_000000000000000000000000" }),
  "a wrong secret": ({ caller }) => ({ ...caller.headers, "X-API-Secret": "ms_wrong" }),
  "another merchant's secret": ({ caller, other }) => ({ ...caller.headers, "X-API-Secret": other.key.apiSecret }),
  "a revoked key": () => revoked.headers,
  "a revoked key with a wrong secret": () => ({ ...revoked.headers, "X-API-Secret": "ms_wrong" }),
  "key and secret exchanged": ({ caller }) => ({
    "X-API-Key": caller.key.apiSecret,
    "X-API-Secret": caller.key.apiKey,
  }),
  "the secret in capital letters": ({ caller }) => ({
    ...caller.headers,
    "X-API-Secret": caller.key.apiSecret.toUpperCase(),
  }),
  "a long key": ({ caller }) => ({ ...caller.headers, "X-API-Key": "k".repeat(10_000) }),
  "letters beyond ASCII": ({ caller }) => ({ ...caller.headers, "X-API-Secret": "\xff\xe9" }),
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
});
