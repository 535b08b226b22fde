import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ALL_CALLS } from "../../../sandbox/control/calls.ts";
import { ambiguousPath } from "../../../src/http/reply.ts";
import { forAllTests } from "../../support/cleanup.ts";
import { expectSoundAnswer, HOST, openScene, readAnswer, type Scene } from "../../support/scene.ts";

let sandbox: Scene;
let ids: Record<string, string>;
beforeAll(async () => {
  sandbox = await openScene();
  const prompt = await sandbox.pay({ phone: "254700000100" });
  ids = { ID: prompt, CHECKOUT_REQUEST_ID: prompt, API_KEY: sandbox.other.key.apiKey, NAME: "saved" };
  await sandbox.control("POST", "/rules", { outcome: "wrong_pin", times: 3 });
  await sandbox.control("PUT", "/faults", { seed: 3, faults: [{ kind: "error", path: "/status.php" }] });
  await sandbox.control("PUT", "/snapshots/saved");
});
afterAll(() => sandbox.close());

async function stateOf(): Promise<string> {
  const steering = ["prompts", "rules", "default", "clock", "faults", "webhook", "snapshots", "requests", "audit"];
  const records = ["merchants", "accounts", "keys", "keys?merchant_id=2", "transactions"];
  return JSON.stringify(await Promise.all([...steering, ...records].map((name) => sandbox.control("GET", `/${name}`))));
}

interface EachCall {
  readonly method: string;
  readonly path: string;
  /** A body that it accepts. */
  readonly json?: unknown;
}

const eachCall = (): EachCall[] =>
  Object.entries(ALL_CALLS).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, { body }]) => ({
      method,
      path: name.replace(/[A-Z_]+/, (id) => ids[id] ?? ""),
      ...(body && { json: body.example }),
    })),
  );

describe("the guard protects every operation of the control API", () => {
  test.each<[string, Record<string, string>]>([
    ["a page whose host name points here", { Host: "evil.example:2547", Origin: "http://evil.example:2547" }],
    ["a page of another origin", { Origin: "http://evil.example" }],
    ["a browser that says cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["a proxy", { "X-Forwarded-For": "192.0.2.1" }],
  ])("%s: 403, and nothing has changed", async (_who, headers) => {
    const state = await stateOf();
    const elsewhere = [
      { method: "GET", path: "/nothing" },
      { method: "OPTIONS", path: "/payments" },
    ];
    for (const { method, path, ...body } of [...eachCall(), ...elsewhere]) {
      const answer = await sandbox.call(method, path, { headers, ...body });
      expect(answer.status, `${method} ${path}`).toBe(403);
      expectSoundAnswer(answer);
    }
    expect(await stateOf()).toBe(state);
  });

  test("the console refuses a proxy, too; the merchant API does not", async () => {
    const headers = { "X-Forwarded-For": "192.0.2.1" };
    for (const path of ["", "/"]) expect((await sandbox.call("GET", path, { headers })).status).toBe(403);
    const merchant = await sandbox.ask("GET", "/transactions.php", { headers: { ...headers, Host: "shop.example" } });
    expect(merchant.status).toBe(200);
  });

  test("a form cannot send a body", async () => {
    const state = await stateOf();
    const fields = new URLSearchParams({ outcome: "cancelled", kind: "web", name: "x", advance: "1h" });
    for (const { method, path, json } of eachCall()) {
      if (json === undefined) continue;
      for (const form of [
        { body: fields },
        { body: JSON.stringify(json), headers: { "Content-Type": "text/plain" } },
      ]) {
        const { status, body } = await sandbox.call(method, path, form);
        expect(status, `${method} ${path}`).toBe(400);
        expect(body.message).toStartWith("Content-Type must be application/json; it is ");
      }
    }
    expect(await stateOf()).toBe(state);
  });
});

test("each call that takes a body refuses a list in its place, and a member that it does not know", async () => {
  const state = await stateOf();
  const taking = eachCall().filter((call) => "json" in call);
  expect(taking.length).toBeGreaterThan(15);
  for (const { method, path, json } of taking) {
    const [example] = Array.isArray(json) ? json : [json];
    if (path !== "/payments") {
      // A payment may have more members, as in the merchant API.
      const unknown = await sandbox.refusal(method, path, { ...example, unheard: 1 });
      expect(`${method} ${path}: ${unknown}`).toContain('there is no member "unheard"; ');
    }
    // A list is one way to send rules, and to add faults.
    if (path === "/rules" || (path === "/faults" && method === "POST")) continue;
    expect(`${method} ${path}: ${await sandbox.refusal(method, path, [])}`).toContain(
      "must be a JSON object; it is an array",
    );
  }
  expect(await stateOf()).toBe(state);
});

test("each call but a probe refuses a parameter that it does not know, and names those that it has", async () => {
  const state = await stateOf();
  for (const { method, path, json } of eachCall()) {
    if (path === "/health" || path === "/ready") continue;
    const refusal = await sandbox.refusal(method, `${path}?limt=5`, json);
    expect(`${method} ${path}: ${refusal}`).toContain('"limt" is not a parameter of this call: it');
  }
  expect(await sandbox.refusal("GET", "/keys?merchant=2")).toBe(
    '"merchant" is not a parameter of this call: its parameters are api_key, merchant_id',
  );
  expect(await stateOf()).toBe(state);
});

describe("with a token", () => {
  const token = "t0ken-of-sixteen-and-more";
  const scene = forAllTests(() => openScene({ guard: { host: "0.0.0.0", token } }));
  const PROBES = ["GET /health", "HEAD /health", "GET /ready", "HEAD /ready"];

  test("every request except a probe needs it, and the refusal has no details", async () => {
    const { text } = await scene.call("GET", "/nothing", { headers: { Host: "localhost" } });
    for (const { method, path, ...body } of [...eachCall(), { method: "POST", path: "/health" }]) {
      if (PROBES.includes(`${method} ${path}`)) continue;
      const answer = await scene.call(method, path, { headers: { Authorization: "Bearer wrong" }, ...body });
      expect(answer.status, `${method} ${path}`).toBe(401);
      expectSoundAnswer(answer);
      expect(answer.text).toBe(text);
      expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
    }
    expect(text).not.toContain(token);
  });

  test("a probe needs no token, and gets one word", async () => {
    for (const headers of [
      {},
      { Authorization: "Bearer wrong" },
      { Host: "10.0.0.7:2547", "X-Forwarded-For": "::1" },
    ]) {
      const health = await scene.call("GET", "/health", { headers });
      expectSoundAnswer(health);
      expect(health.body).toEqual({ success: true, message: "momo is serving", status: "ok" });
      const ready = await scene.call("GET", "/ready", { headers });
      expect(ready.body).toEqual({ success: true, message: "momo accepts payments", status: "ready" });
      expect((await scene.call("HEAD", "/health", { headers })).status).toBe(200);
    }
    const foreign = await scene.call("GET", "/health", { headers: { Origin: "http://evil.example" } });
    expect(foreign.status).toBe(403);
  });

  test("with it a request may come through a proxy, and the addresses to paste are those of the proxy", async () => {
    const headers = { Authorization: `Bearer ${token}`, Host: "momo.example", "X-Forwarded-Proto": "https" };
    expect((await scene.call("GET", "/health", { headers })).body).toMatchObject({ status: "ok", pid: process.pid });
    expect((await scene.call("GET", "/server", { headers })).body).toMatchObject({
      base_url: "https://momo.example/v2",
      control_url: "https://momo.example/_momo",
    });
    const forwarded = { ...headers, Host: "localhost:2547", "X-Forwarded-Host": "a-2547.app.example" };
    expect((await scene.call("GET", "/server", { headers: forwarded })).body).toMatchObject({
      base_url: "https://a-2547.app.example/v2",
      control_url: "https://a-2547.app.example/_momo",
    });
  });

  test("a forwarder that lies about its host changes only links: no origin is trusted, no webhook calls the server", async () => {
    const lie = { Authorization: `Bearer ${token}`, "X-Forwarded-Host": "evil.example" };
    const page = { ...lie, Host: HOST, Origin: "http://evil.example" };
    expect((await scene.call("GET", "/server", { headers: page })).status).toBe(403);
    for (const Host of [HOST, "localhost:2547"]) {
      const json = { url: `http://${Host}/v2/stkpush.php` };
      const refused = await scene.call("PUT", "/webhook", { headers: { ...lie, Host }, json });
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining("this server")]);
    }
  });
});

describe("the merchant API refuses a page of another site before it uses up a fault", () => {
  test.each([{ "Sec-Fetch-Site": "cross-site" }, { Origin: "http://evil.example" }, { Origin: "null" }])(
    "%j",
    async (headers) => {
      await sandbox.renew();
      await sandbox.control("DELETE", "/audit");
      await sandbox.control("PUT", "/faults", { faults: [{ kind: "error", status: 503, times: 5 }] });
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
      const path = "/v2/x%2Fy";
      const ambiguous = new Request(`http://${HOST}${path}`, { headers: { Host: HOST, ...headers } });
      expect((await sandbox.refuse(ambiguous, ambiguousPath(), path)).status).toBe(403);
      // Log and audit show what the browser hides, with the origin.
      const logged = await sandbox.logged();
      expect(logged.map(({ status }) => status)).toEqual(logged.map(() => 403));
      expect(logged.at(-1)).toMatchObject({ target: path });
      const named = "Origin" in headers ? `Origin "${headers.Origin}"` : "Sec-Fetch-Site";
      const { refused } = (await sandbox.control("GET", "/audit")) as { refused?: { message: string }[] };
      expect(refused?.[0]?.message).toContain(named);
      expect(await sandbox.control("GET", "/faults")).toMatchObject({ faults: [{ times: 5 }] });
    },
  );

  test("a page of this server, and a server, are answered", async () => {
    await sandbox.renew();
    for (const headers of [{}, { Origin: `http://${HOST}` }]) await sandbox.pay({}, headers);
    const path = "/v2/x%2Fy";
    for (const query of ["", "?a=1"]) {
      const ambiguous = new Request(`http://${HOST}${path}${query}`, { headers: { Host: HOST } });
      expect((await sandbox.refuse(ambiguous, ambiguousPath(), path)).status).toBe(400);
    }
    expect((await sandbox.logged()).map(({ target, status }) => `${target} ${status}`)).toEqual([
      ...Array(2).fill("/v2/stkpush.php 200"),
      ...["/v2/x%2Fy 400", "/v2/x%2Fy?a=1 400"],
    ]);
  });
});

test.each<[what: string, method: string, path: string, headers: Record<string, string>]>([
  ["plain text", "GET", "/requests?format=curl", {}],
  ["a stream", "GET", "/events", {}],
  ["a path that does not exist", "GET", "/nothing", {}],
  ["a method that is not supported", "PATCH", "/rules", {}],
  ["a caller that is refused", "GET", "/health", { Host: "evil.example" }],
])("%s has the security headers, and none of CORS", async (_what, method, path, headers) => {
  const response = await sandbox.request(method, path, { headers });
  await response.body?.cancel();
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
});

test("404 in JSON: a path that is only similar to an operation", async () => {
  const health = ["/health/", "/HEALTH", "/%68ealth", "/health/x"];
  for (const path of ["//", "/nothing", ...health, "/constructor", "/__proto__", "/prompts/ID"]) {
    expect(await sandbox.refusal("GET", path, undefined, 404)).toContain("/_momo/health");
  }
});

test("405 in JSON with Allow: every other method of every path", async () => {
  for (const [name, methods] of Object.entries(ALL_CALLS)) {
    const path = name.replace(/[A-Z_]+/, "x");
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (Object.hasOwn(methods, method)) continue;
      const answer = await readAnswer(await sandbox.request(method, path));
      expect(answer.status, `${method} ${path}`).toBe(405);
      expect(answer.headers.get("Allow")).toBe(Object.keys(methods).join(", "));
      expectSoundAnswer(answer);
    }
  }
});
