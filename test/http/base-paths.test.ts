import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/cleanup.ts";
import { HOST } from "../support/control.ts";
import { payment } from "../support/scenario.ts";
import { openSteered } from "../support/steered.ts";

describe("/v2 and /api/v2 answer alike", () => {
  const scene = forAllTests(() => openSteered());

  async function send(target: string, init: RequestInit = {}) {
    const headers = { "Content-Type": "application/json", ...scene.caller.headers, ...init.headers };
    const response = await scene.handle(new Request(`http://${HOST}${target}`, { ...init, headers }));
    return { status: response.status, allow: response.headers.get("Allow"), text: await response.text() };
  }
  const post = (json: object) => ({ method: "POST", body: JSON.stringify(json) });

  test("a payment that starts at one is known at the other; the log shows the requested path", async () => {
    const { text } = await send("/api/v2/stkpush.php", post(payment(scene.caller)));
    const { transaction_id, checkout_request_id } = JSON.parse(text) as Record<string, unknown>;
    const calls: [path: string, status: number, init?: RequestInit][] = [
      ["/status.php", 200, post({ checkout_request_id })],
      [`/transactions.php?id=${transaction_id}`, 200],
      ["/stkpush.php", 400, post({})],
      ["/stkpush.php", 401, { method: "POST", headers: { "X-API-Secret": "ms_no" } }],
      ["/status.php", 405, { method: "DELETE" }],
      ["/nothing.php", 404],
    ];
    for (const [path, status, init] of calls) {
      const answer = await send(`/v2${path}`, init);
      expect(answer.status).toBe(status);
      expect(await send(`/api/v2${path}`, init)).toEqual(answer);
    }
    const targets = (await scene.logged()).map(({ target }) => target);
    expect(targets.slice(0, 3)).toEqual(["/api/v2/stkpush.php", "/v2/status.php", "/api/v2/status.php"]);
  });

  test("a fault strikes at both", async () => {
    await scene.control("PUT", "/faults", { faults: [{ kind: "error", status: 503, path: "/transactions.php" }] });
    for (const base of ["/v2", "/api/v2"]) expect((await send(`${base}/transactions.php`)).status).toBe(503);
  });
});
