import { describe, expect, test } from "bun:test";
import { LOG_CAPACITY } from "../../../sandbox/request-log.ts";
import { HOST } from "../../support/control.ts";
import { readEvents } from "../../support/event-stream.ts";
import { payment } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

describe("GET /_momo/requests: the last calls of the merchant API", () => {
  test("with their answers, when they came and how long they took", async () => {
    await sandbox.control("POST", "/clock", { advance: "1h" });
    const json = payment(sandbox.caller);
    const answer = await sandbox.ask("POST", "/stkpush.php?x=1", { json, headers: { "X-Sandbox-Outcome": "manual" } });
    const [request, ...others] = await sandbox.logged();
    expect(others).toEqual([]);
    expect(request).toEqual({
      id: 1,
      at: "2026-11-20 11:00:00",
      at_ms: Date.UTC(2026, 10, 20, 8),
      duration_ms: expect.any(Number),
      method: "POST",
      target: "/v2/stkpush.php?x=1",
      headers: {
        host: HOST,
        "content-type": "application/json",
        "x-api-key": sandbox.caller.key.apiKey,
        "x-api-secret": "[redacted]",
        "x-sandbox-outcome": "manual",
      },
      body: JSON.stringify(json),
      body_cut_bytes: 0,
      status: 200,
      answer: answer.body,
      answer_cut_bytes: 0,
      fault: null,
      leniencies: [],
      lenient_takes: false,
    });
    expect(request?.duration_ms).toBeGreaterThan(0);
    expect(request?.duration_ms).toBeLessThan(5000);
  });

  test("last 1000 only, oldest first", async () => {
    expect(LOG_CAPACITY).toBe(1000);
    for (let page = 1; page <= 1003; page++) await sandbox.ask("GET", `/transactions.php?page=${page}`);
    const targets = (await sandbox.logged()).map(({ target }) => target);
    expect(targets).toEqual(Array.from({ length: 1000 }, (_, index) => `/v2/transactions.php?page=${index + 4}`));
  });

  test("control calls are not logged", async () => {
    await sandbox.control("GET", "/health");
    await sandbox.control("POST", "/payments", { ...payment(sandbox.caller), kind: "web" });
    await sandbox.call("GET", "/nothing");
    expect(await sandbox.logged()).toEqual([]);
  });

  test("the body of refused calls too", async () => {
    const json = { ...payment(sandbox.caller), amount: "100" };
    await sandbox.ask("POST", "/stkpush.php", { json });
    await sandbox.ask("POST", "/stkpush.php", { json, headers: { "X-API-Secret": "ms_wrong" } });
    await sandbox.ask("PUT", "/stkpush.php", { json });
    await sandbox.ask("POST", "/nothing.php", { json });
    await sandbox.ask("POST", "/stkpush.php", { json, headers: { "Content-Type": "text/plain" } });
    const body = JSON.stringify(json);
    expect(await sandbox.logged()).toMatchObject([
      { status: 400, body },
      { status: 401, body },
      { status: 405, method: "PUT", body },
      { status: 404, body },
      { status: 400, body },
    ]);
  });

  test("a body that is not text is shown as far as it is", async () => {
    const init = {
      method: "POST",
      headers: { Host: HOST, ...sandbox.caller.headers },
      body: new Uint8Array([97, 255]),
    };
    await sandbox.handle(new Request(`http://${HOST}/v2/status.php`, init));
    expect(await sandbox.logged()).toMatchObject([{ status: 400, body: "a\u{FFFD}" }]);
  });
});

describe("secrets redacted everywhere", () => {
  const calls: [where: string, call: () => Promise<unknown>][] = [
    ["in its header", () => sandbox.ask("GET", "/transactions.php")],
    ["in another header", () => sandbox.ask("GET", "/transactions.php", { headers: { "X-API-Key": secret() } })],
    [
      "as a bearer token",
      () => sandbox.ask("GET", "/transactions.php", { headers: { Authorization: `Bearer ${secret()}` } }),
    ],
    ["in the query", () => sandbox.ask("GET", `/transactions.php?api_secret=${secret()}`)],
    [
      "in a query that is answered with what it asked for",
      () => sandbox.ask("GET", `/transactions.php?search=${secret()}`),
    ],
    ["percent-encoded in the query", () => sandbox.ask("GET", `/transactions.php?x=${secret().replace("_", "%5F")}`)],
    ["percent-encoded in the path", () => sandbox.ask("GET", `/%3D${secret().replace("ms_", "%6d%73%5f")}`)],
    [
      "in a body with unicode escapes",
      () => {
        const body = `{"checkout_request_id":"${secret().replace("_", "\\u005f")}"}`;
        const headers = { Host: HOST, "Content-Type": "application/json", ...sandbox.caller.headers };
        return sandbox.handle(new Request(`http://${HOST}/v2/status.php`, { method: "POST", headers, body }));
      },
    ],
    ["in the path", () => sandbox.ask("GET", `/${secret()}`)],
    [
      "in a body",
      () => sandbox.ask("POST", "/status.php", { json: { api_secret: secret(), checkout_request_id: "x" } }),
    ],
    [
      "in a reference",
      () => sandbox.ask("POST", "/stkpush.php", { json: { ...payment(sandbox.caller), reference: secret() } }),
    ],
    [
      "in the body of a refused call, in capitals",
      () => sandbox.ask("PUT", "/status.php", { json: { note: secret().toUpperCase() } }),
    ],
  ];
  const secret = () => sandbox.caller.key.apiSecret;

  for (const [where, call] of calls) {
    test(where, async () => {
      await call();
      const shown = await sandbox.call("GET", "/requests");
      expect(shown.text).toContain("[redacted]");
      const lines = await sandbox.handle(
        new Request(`http://${HOST}/_momo/requests?format=curl`, { headers: { Host: HOST } }),
      );
      for (const text of [shown.text, await lines.text()]) {
        expect(text.toLowerCase()).not.toContain(secret());
        expect(text.toLowerCase()).not.toContain(secret().slice(3));
      }
    });
  }
});

test.each(["X-API-Secret", "Authorization", "Proxy-Authorization", "Cookie"])(
  "nothing of the header %s is shown, whatever it holds: neither in the log, nor as curl, nor as an event",
  async (header) => {
    const listening = await sandbox.handle(new Request(`http://${HOST}/_momo/events`, { headers: { Host: HOST } }));
    const events = readEvents(listening);
    await sandbox.ask("GET", "/transactions.php", { headers: { [header]: "a-value-of-no-known-shape" } });
    await events.until(() => events.events.length > 0);
    await events.leave();
    const curl = new Request(`http://${HOST}/_momo/requests?format=curl`, { headers: { Host: HOST } });
    const shown = [await sandbox.logged(), await (await sandbox.handle(curl)).text(), events.events];
    for (const one of shown) expect(JSON.stringify(one)).not.toContain("no-known-shape");
    expect(await sandbox.logged()).toMatchObject([{ headers: { [header.toLowerCase()]: "[redacted]" } }]);
  },
);

test("a refusal does not repeat a secret that came as the name of a member", async () => {
  const { apiSecret } = sandbox.caller.key;
  for (const name of [apiSecret, apiSecret.replace("_", "\\u005f")]) {
    const body = `[{"outcome":"cancelled","${name}":1}]`;
    const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain("[redacted]");
    expect(answer.text).not.toContain(apiSecret.slice(3));
  }
});

describe("format", () => {
  test("json is the default", async () => {
    await sandbox.ask("GET", "/transactions.php");
    expect((await sandbox.control("GET", "/requests?format=json")).requests).toEqual(await sandbox.logged());
  });

  test.each(["xml", "", "CURL"])("%p: 400", async (format) => {
    expect(await sandbox.refusal("GET", `/requests?format=${format}`)).toBe(
      `format must be json or curl; it is "${format}"`,
    );
  });
});
