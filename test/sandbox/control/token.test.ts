import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ControlScene, openControl } from "../../support/control.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";

const TOKEN = "t0ken-of-sixteen-and-more";

let scene: ControlScene;
beforeAll(async () => {
  scene = await openControl({ host: "0.0.0.0", token: TOKEN });
});
afterAll(() => scene.close());

describe("On any other address it needs Authorization: Bearer TOKEN", () => {
  const BAD: (string | undefined)[] = [
    undefined,
    "",
    TOKEN,
    "Bearer",
    "Bearer ",
    "Bearer wrong",
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Basic ${btoa(`momo:${TOKEN}`)}`,
    `Token ${TOKEN}`,
  ];
  for (const Authorization of BAD) {
    test(`401: ${Authorization ?? "no header"}`, async () => {
      const alike = await scene.call("GET", "/health");
      for (const [method, path] of [
        ["GET", "/health"],
        ["GET", "/outcomes"],
        ["GET", "/nothing"],
        ["POST", "/payments"],
        ["DELETE", "/payments"],
      ] as const) {
        const json = method === "POST" ? { json: { ...payment(scene.caller), kind: "web" } } : {};
        const answer = await scene.call(method, path, { headers: { Authorization }, ...json });
        expect(answer.status).toBe(401);
        expectSoundAnswer(answer);
        expect(answer.text).toBe(alike.text);
        expect(answer.text).not.toContain(TOKEN);
      }
      expect((await scene.send({ path: "/transactions.php" })).body.transactions).toEqual([]);
    });
  }

  test("a loopback Host header does not stand for the token", async () => {
    expect((await scene.call("GET", "/health", { headers: { Host: "localhost" } })).status).toBe(401);
  });

  for (const Authorization of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`]) {
    test(`200: ${Authorization}, whatever name this machine is called by`, async () => {
      for (const Host of ["192.168.1.5:2547", "sandbox.test", "localhost:2547"]) {
        expect((await scene.call("GET", "/health", { headers: { Authorization, Host } })).status).toBe(200);
      }
    });
  }

  test("also with the token a page of another origin is refused", async () => {
    const Authorization = `Bearer ${TOKEN}`;
    for (const foreign of [{ Origin: "http://evil.example" }, { "Sec-Fetch-Site": "cross-site" }]) {
      expect((await scene.call("GET", "/health", { headers: { Authorization, ...foreign } })).status).toBe(403);
    }
  });

  test("a merchant's credentials are no token", async () => {
    const headers = { ...scene.caller.headers, Authorization: `Bearer ${scene.caller.key.apiSecret}` };
    expect((await scene.call("GET", "/health", { headers })).status).toBe(401);
  });

  test("a token given on a loopback address is needed there too", async () => {
    const loopback = await openControl({ host: "127.0.0.1", token: TOKEN });
    expect((await loopback.call("GET", "/health")).status).toBe(401);
    expect((await loopback.call("GET", "/health", { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    await loopback.close();
  });
});
