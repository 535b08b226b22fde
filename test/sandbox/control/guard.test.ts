import { describe, expect, test } from "bun:test";
import { HOST, openControl } from "../../support/control.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { forAllTests } from "../../support/use.ts";

const scene = forAllTests(openControl);

async function expectRefused(headers: Record<string, string | undefined>): Promise<void> {
  const json = { ...payment(scene.caller), kind: "web" };
  for (const [method, path] of [
    ["GET", "/health"],
    ["POST", "/payments"],
    ["OPTIONS", "/payments"],
    ["GET", "/nothing"],
    ["DELETE", "/health"],
  ] as const) {
    const answer = await scene.call(method, path, method === "POST" ? { headers, json } : { headers });
    expect(answer.status, `${method} ${path}`).toBe(403);
    expectSoundAnswer(answer);
  }
  expect((await scene.send({ path: "/transactions.php" })).body.transactions).toEqual([]);
}

function expectNoCors(headers: Headers): void {
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
}

describe("answers only when Host is a loopback name", () => {
  for (const host of [
    "localhost",
    "localhost:2547",
    "LOCALHOST:2547",
    "127.0.0.1",
    "127.0.0.1:80",
    "127.1.2.3:2547",
    "[::1]",
    "[::1]:2547",
  ]) {
    test(host, async () => {
      expect((await scene.call("GET", "/health", { headers: { Host: host } })).status).toBe(200);
    });
  }

  for (const host of [
    undefined,
    "",
    "evil.example",
    "evil.example:2547",
    "127.0.0.1.evil.example",
    "localhost.evil.example:2547",
    "evil.example#localhost",
    "localhost@evil.example",
    "evillocalhost",
    "localhost:2547:80",
    "localhost:port",
    "127.0.0.1, localhost",
    "128.0.0.1",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "::1",
    "192.168.1.5:2547",
  ]) {
    test(`not ${host ?? "without a Host header"}`, () => expectRefused({ Host: host }));
  }

  test("or the configured one", async () => {
    const named = await openControl({ host: "sandbox.test", token: null });
    const ask = async (host: string) => (await named.call("GET", "/health", { headers: { Host: host } })).status;
    expect(await ask("sandbox.test:2547")).toBe(200);
    expect(await ask("other.test:2547")).toBe(403);
    await named.close();
  });
});

describe("without a token, what came through a proxy is refused: control API and console", () => {
  for (const headers of [
    { Forwarded: "for=192.0.2.1" },
    { "X-Forwarded-For": "192.0.2.1" },
    { "X-Forwarded-Host": "localhost" },
    { "X-Forwarded-Proto": "https" },
    { "X-Forwarded-Prefix": "/v2" },
    { "X-Real-IP": "127.0.0.1" },
    { Via: "1.1 proxy" },
  ]) {
    test(JSON.stringify(headers), async () => {
      await expectRefused(headers);
      for (const path of ["", "/", "/health"]) {
        const answer = await scene.call("GET", path, { headers });
        expect(answer.status).toBe(403);
        expect(answer.body.message).toMatch(/proxy .*--control-token-file or --control-port$/);
      }
    });
  }

  test("the merchant API is answered through a proxy", async () => {
    const headers = { ...scene.caller.headers, Host: "shop.example", "X-Forwarded-For": "192.0.2.1" };
    const answer = await scene.handle(new Request(`http://${HOST}/v2/transactions.php`, { headers }));
    expect(answer.status).toBe(200);
  });
});

describe("security headers on every answer", () => {
  for (const [what, method, path, headers] of [
    ["an answer", "GET", "/health", {}],
    ["plain text", "GET", "/requests?format=curl", {}],
    ["a stream", "GET", "/events", {}],
    ["a path that is not there", "GET", "/nothing", {}],
    ["a method that is not taken", "PATCH", "/rules", {}],
    ["a body that is refused", "POST", "/rules", {}],
    ["a caller that is refused", "GET", "/health", { Host: "evil.example" }],
  ] as const) {
    test(what, async () => {
      const request = new Request(`http://${HOST}/_momo${path}`, { method, headers: { Host: HOST, ...headers } });
      const response = await scene.handle(request);
      await response.body?.cancel();
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      expectNoCors(response.headers);
    });
  }
});

describe("no cross-origin page can reach it: Origin and Sec-Fetch-Site are checked; no CORS", () => {
  for (const headers of [
    { Origin: "http://evil.example" },
    { Origin: "null" },
    { Origin: "" },
    { Origin: `https://${HOST}` },
    { Origin: "http://127.0.0.1:3000" },
    { Origin: "http://127.0.0.1" },
    { Origin: "http://localhost:2547" },
    { Origin: `http://${HOST}.evil.example` },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "anything" },
    { Origin: `http://${HOST}`, "Sec-Fetch-Site": "cross-site" },
    { Host: "evil.example:2547", Origin: "http://evil.example:2547", "Sec-Fetch-Site": "same-origin" },
  ]) {
    test(`refused: ${JSON.stringify(headers)}`, () => expectRefused(headers));
  }

  for (const headers of [
    {},
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "same-origin" },
    { Origin: `http://${HOST}`, "Sec-Fetch-Site": "same-origin" },
    { Host: "localhost:2547", Origin: "http://localhost:2547" },
  ]) {
    test(`answered: ${JSON.stringify(headers)}`, async () => {
      const answer = await scene.call("GET", "/health", { headers });
      expect(answer.status).toBe(200);
      expectNoCors(answer.headers);
    });
  }

  test("a preflight is not granted", async () => {
    const headers = {
      Origin: "http://evil.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type",
    };
    await expectRefused(headers);
  });
});
