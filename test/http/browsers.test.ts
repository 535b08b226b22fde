import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openScene, payment, type Scene } from "../support/scenario.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

/** What a browser says of a page of another origin, before its request and with it. */
const ORIGIN = { Origin: "http://evil.example" };
const PREFLIGHT = {
  ...ORIGIN,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "x-api-key,x-api-secret,content-type",
};

describe("no CORS, and the headers that keep a browser from guessing or keeping, on every answer of the merchant API", () => {
  const ASKED = [
    ["OPTIONS", "/stkpush.php", 405, PREFLIGHT],
    ["OPTIONS", "/transactions.php", 405, PREFLIGHT],
    ["OPTIONS", "/nothing", 404, PREFLIGHT],
    ["GET", "/transactions.php", 200, ORIGIN],
    ["GET", "/transactions.php?limit=0", 400, ORIGIN],
    ["GET", "/stkpush.php", 405, ORIGIN],
    ["GET", "/nothing", 404, ORIGIN],
    ["POST", "/stkpush.php", 200, ORIGIN],
    ["GET", "/../openapi.json", 200, ORIGIN],
  ] as const;

  for (const [method, path, status, headers] of ASKED) {
    test(`${method} ${path}: ${status}`, async () => {
      const json = method === "POST" ? { json: payment(scene.caller) } : {};
      const answer = await scene.send({ method, path, headers, ...json });
      expect(answer.status).toBe(status);
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    });
  }

  test("401 too", async () => {
    const answer = await scene.send({ path: "/transactions.php", as: "nobody", headers: ORIGIN });
    expect(answer.status).toBe(401);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });
});
