import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { exchange } from "../../support/connection.ts";
import { startIn } from "../../support/sandbox.ts";
import { HOST, payment, useScene } from "../../support/scene.ts";
import { rejectionOf } from "../../support/waiting.ts";

afterAll(cleanUp);

const sandbox = useScene();
const order = (changes: object = {}) => ({ json: { ...payment(sandbox.caller), ...changes } });
const curlLines = async () => (await sandbox.request("GET", "/requests?format=curl")).text();

describe("GET /_momo/requests: the last requests to the merchant API", () => {});

describe("a secret is redacted in JSON, in curl lines and in events", () => {
  const secret = () => sandbox.caller.key.apiSecret;
  const get = (path: string, headers: Record<string, string> = {}) => sandbox.ask("GET", path, { headers });
  const CALLS: [where: string, call: () => Promise<unknown>][] = [
    ["in its header", () => get("/transactions.php")],
    ["in another header", () => get("/transactions.php", { "X-API-Key": secret() })],
    ["as a bearer token", () => get("/transactions.php", { Authorization: `Bearer ${secret()}` })],
    ["in the query", () => get(`/transactions.php?api_secret=${secret()}`)],
    [
      "in the query beside a body that the log cuts",
      () => sandbox.ask("POST", `/status.php?x=${secret()}`, { json: { note: "x ".repeat(3000) } }),
    ],
    ["in a query that the answer repeats", () => get(`/transactions.php?search=${secret()}`)],
    ["percent-encoded in the query", () => get(`/transactions.php?x=${secret().replace("_", "%5F")}`)],
    ["percent-encoded in the path", () => get(`/%3D${secret().replace("ms_", "%6d%73%5f")}`)],
    ["in the path", () => get(`/${secret()}`)],
    [
      "in a body with unicode escapes",
      () => {
        const body = `{"checkout_request_id":"${secret().replace("_", "\\u005f")}"}`;
        return sandbox.ask("POST", "/status.php", { body, headers: { "Content-Type": "application/json" } });
      },
    ],
    [
      "in a body",
      () => sandbox.ask("POST", "/status.php", { json: { api_secret: secret(), checkout_request_id: "x" } }),
    ],
    ["in a reference", () => sandbox.ask("POST", "/stkpush.php", order({ reference: secret() }))],
    [
      "in the body of a refused call, in capitals",
      () => sandbox.ask("PUT", "/status.php", { json: { note: secret().toUpperCase() } }),
    ],
  ];
  test.each(CALLS)("%s", async (_where, call) => {
    const stream = await sandbox.listen();
    await call();
    const events = await stream.until((all) => all.some(({ name }) => name === "request"));
    const requests = events.filter(({ name }) => name === "request");
    const { text } = await sandbox.call("GET", "/requests");
    expect(text).toContain("[redacted]");
    for (const shown of [text, await curlLines(), JSON.stringify(requests)]) {
      expect(shown.toLowerCase()).not.toContain(secret().slice(3));
    }
  });

  test("in the name of a member that a refusal repeats", async () => {
    for (const name of [secret(), secret().replace("_", "\\u005f")]) {
      const body = `[{"outcome":"cancelled","${name}":1}]`;
      const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain("[redacted]");
      expect(answer.text).not.toContain(secret().slice(3));
    }
  });
});

test.each(["Authorization", "Proxy-Authorization", "Cookie"])("the header %s is secret as a whole", async (name) => {
  await sandbox.ask("GET", "/transactions.php", { headers: { [name]: "shop:hunter2" } });
  expect(await sandbox.logged()).toMatchObject([{ headers: { [name.toLowerCase()]: "[redacted]" } }]);
  expect(await curlLines()).not.toContain("hunter2");
});

test("?format=curl: one line for each request, quoted for a shell", async () => {
  await sandbox.ask("GET", "/transactions.php?search={a,b}'");
  await sandbox.ask("HEAD", "/transactions.php");
  await sandbox.ask("PUT", "/stkpush.php", {
    json: { reference: "it's $HOME" },
    headers: { "X-Sandbox-Outcome": "x" },
  });
  const response = await sandbox.request("GET", "/requests?format=curl");
  expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  const key = `-H 'x-api-key: ${sandbox.caller.key.apiKey}' -H "x-api-secret: $MOMO_API_SECRET"`;
  const [get, head, put, ...rest] = (await response.text()).split("\n");
  expect(get).toBe(`curl -g 'http://${HOST}/v2/transactions.php?search={a,b}%27' ${key}`);
  expect(head).toBe(`curl -g -I 'http://${HOST}/v2/transactions.php' ${key}`);
  expect(put).toStartWith(`curl -g -X PUT 'http://${HOST}/v2/stkpush.php' -H `);
  expect(put).toContain(" -H 'x-sandbox-outcome: x'");
  expect(put).toEndWith(` --data-raw '{"reference":"it'\\''s $HOME"}'`);
  expect(rest).toEqual([""]);
});

test("POST /_momo/requests/ID/replay sends a logged request again, with the sandbox's own key", async () => {
  const server = await startIn(join(newFolder(), "data"));
  await server.pay({ reference: "AGAIN" }, "manual");
  expect(await server.control("POST", "/requests/1/replay")).toMatchObject({ status: 200 });
  const { requests } = await server.control("GET", "/requests");
  const call = { target: "/v2/stkpush.php", body: expect.stringContaining("AGAIN"), status: 200 };
  expect(requests).toMatchObject([
    { ...call, id: 1 },
    {
      ...call,
      id: 2,
      headers: { "x-api-secret": "[redacted]", "x-sandbox-replay-of": "1", "x-sandbox-outcome": "manual" },
    },
  ]);
  expect(await server.control("GET", "/transactions")).toMatchObject({
    transactions: [{ reference: "AGAIN" }, { reference: "AGAIN" }],
  });
  // No client made the second payment.
  expect(await server.control("GET", "/audit")).toMatchObject({ findings: [] });

  await server.control("PUT", "/faults", { faults: [{ kind: "disconnect", times: 1 }] });
  const lost = { message: "sent again: the answer is lost", status: null };
  expect(await server.control("POST", "/requests/1/replay")).toMatchObject(lost);
  expect(String(await rejectionOf(server.control("POST", "/requests/7/replay")))).toContain(
    "404 the log has no request with this id",
  );
  await server.pay({ padding: "x".repeat(5000) });
  expect(String(await rejectionOf(server.control("POST", "/requests/4/replay")))).toContain(
    "does not have the whole body",
  );
  const ambiguous = "POST /v2/../v2/stkpush.php HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  await exchange(server.origin, ambiguous, { answers: 1 });
  expect(String(await rejectionOf(server.control("POST", "/requests/5/replay")))).toContain("cannot be sent again");
  await server.stop();
});

test("the log has what bytes say that are not text, strict or lenient", async () => {
  const json = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 5 });
  const latin1 = Buffer.from(json.replace("5}", '"5","reference":"\xff"}'), "latin1");
  await sandbox.ask("POST", "/stkpush.php", { body: latin1, headers: { "Content-Type": "application/json" } });
  await sandbox.ask("POST", "/status.php", { body: new Uint8Array([97, 255]) });
  expect(await sandbox.logged()).toMatchObject([
    { status: 400, leniencies: [], lenient_takes: false, body: expect.stringContaining("\u{FFFD}") },
    { status: 400, body: "a\u{FFFD}" },
  ]);
});

describe("lenient", () => {
  const sandbox = useScene({ profile: { accept: "lenient" } });

  test("a secret in a corrected member is not shown", async () => {
    const { apiSecret } = sandbox.caller.key;
    await sandbox.ask("GET", `/transactions.php?status=${apiSecret}`);
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [{ member: "status", came: '"[redacted]"' }] }]);
    expect(JSON.stringify(await sandbox.logged())).not.toContain(apiSecret);
  });
});
