import { describe, expect, test } from "bun:test";
import { openControl } from "../support/control.ts";
import { payment } from "../support/scenario.ts";
import { openSteered } from "../support/steered.ts";

const BASES = ["/v2", "/api/v2"];

describe("/v2 and /api/v2 answer alike", () => {
  test("the three operations, a wrong method, wrong credentials and a bad body", async () => {
    const scene = await openControl();
    const { caller, handle } = scene;
    const { transaction_id, ...started } = await scene.start();
    const calls: [method: string, path: string, init: RequestInit][] = [
      ["POST", "/status.php", { body: JSON.stringify({ checkout_request_id: started.checkout_request_id }) }],
      ["GET", `/transactions.php?id=${transaction_id}`, {}],
      ["POST", "/stkpush.php", { body: JSON.stringify({ ...payment(caller), amount: 0 }) }],
      ["POST", "/stkpush.php", { headers: { "X-API-Secret": "ms_no" } }],
      ["DELETE", "/status.php", {}],
      ["GET", "/nothing.php", {}],
    ];
    for (const [method, path, init] of calls) {
      const answers = BASES.map(async (base) => {
        const headers = { "Content-Type": "application/json", ...caller.headers, ...init.headers };
        const response = await handle(new Request(`http://localhost${base}${path}`, { method, ...init, headers }));
        return { status: response.status, allow: response.headers.get("Allow"), text: await response.text() };
      });
      const [first, second] = await Promise.all(answers);
      expect(second).toEqual(first as NonNullable<typeof first>);
    }
    await scene.close();
  });

  test("a payment started at one is known at the other, and the log shows the path that was asked", async () => {
    const scene = await openSteered();
    const headers = { "Content-Type": "application/json", ...scene.caller.headers };
    const send = async (path: string, json: object) => {
      const body = JSON.stringify(json);
      const request = new Request(`http://127.0.0.1:2547${path}`, { method: "POST", headers, body });
      return (await (await scene.handle(request)).json()) as Record<string, unknown>;
    };
    const { checkout_request_id } = await send("/api/v2/stkpush.php", payment(scene.caller));
    expect(await send("/v2/status.php", { checkout_request_id })).toMatchObject({ status: "pending" });
    const { requests } = await scene.control("GET", "/requests");
    expect(requests).toMatchObject([{ target: "/api/v2/stkpush.php" }, { target: "/v2/status.php" }]);
    await scene.close();
  });

  test("a fault strikes at both", async () => {
    const scene = await openSteered();
    await scene.control("PUT", "/faults", { faults: [{ kind: "error", status: 503, path: "/transactions.php" }] });
    for (const base of BASES) {
      const { headers } = scene.caller;
      const request = new Request(`http://127.0.0.1:2547${base}/transactions.php`, { headers });
      expect((await scene.handle(request)).status).toBe(503);
    }
    await scene.close();
  });
});

test("GET /openapi.json names both addresses, the first first", async () => {
  const scene = await openControl();
  const response = await scene.handle(new Request("http://localhost:2547/openapi.json", { headers: { Host: "a:1" } }));
  const { servers } = (await response.json()) as { servers: unknown };
  expect(servers).toEqual([{ url: "http://a:1/v2" }, { url: "http://a:1/api/v2" }]);
  await scene.close();
});

test("an unknown path is told of both", async () => {
  const scene = await openControl();
  const response = await scene.handle(new Request("http://localhost/v1/stkpush.php", { method: "POST" }));
  expect(((await response.json()) as { message: string }).message).toBe(
    "there is nothing at this path; the operations are POST /v2/stkpush.php, POST /v2/status.php, GET /v2/transactions.php, and the same below /api/v2",
  );
  await scene.close();
});
