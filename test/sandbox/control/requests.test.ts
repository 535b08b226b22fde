import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";
import { HOST, payment, useScene } from "../../support/scene.ts";
import { rejectionOf } from "../../support/waiting.ts";

afterAll(cleanUp);

const sandbox = useScene();
const order = (changes: object = {}) => ({ json: { ...payment(sandbox.caller), ...changes } });
const curlLines = async () => (await sandbox.request("GET", "/requests?format=curl")).text();

describe("GET /_momo/requests: the last requests to the merchant API", () => {
  test("a request with its answer, its time and its duration", async () => {
    await sandbox.advanceClock("1h");
    const { json } = order();
    const answer = await sandbox.ask("POST", "/stkpush.php?x=1", { json, headers: { "X-Sandbox-Outcome": "manual" } });
    const { requests } = await sandbox.control("GET", "/requests?format=json");
    expect(requests).toEqual([
      {
        id: expect.any(Number),
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
      },
    ]);
    expect((requests as { duration_ms: number }[])[0]?.duration_ms).toBeWithin(0.001, 5000);
  });

  test("control requests are not logged", async () => {
    await sandbox.control("GET", "/health");
    await sandbox.control("POST", "/payments", { ...payment(sandbox.caller), kind: "web" });
    await sandbox.call("GET", "/nothing");
    expect(await sandbox.logged()).toEqual([]);
  });

  test("refused requests are logged with their body", async () => {
    const { json } = order({ amount: "100" });
    await sandbox.ask("POST", "/stkpush.php", { json });
    await sandbox.ask("POST", "/stkpush.php", { json, headers: { "X-API-Secret": "ms_wrong" } });
    await sandbox.ask("PUT", "/stkpush.php", { json });
    await sandbox.ask("POST", "/nothing.php", { json });
    await sandbox.ask("POST", "/stkpush.php", { json, headers: { "Content-Type": "text/plain" } });
    await sandbox.ask("POST", "/status.php", { body: new Uint8Array([97, 255]) });
    const body = JSON.stringify(json);
    expect(await sandbox.logged()).toMatchObject([
      { status: 400, body },
      { status: 401, body },
      { status: 405, method: "PUT", body },
      { status: 404, body },
      { status: 400, body },
      // Bytes that are not text are replaced.
      { status: 400, body: "a\u{FFFD}" },
    ]);
  });

  test("another format is refused", async () => {
    expect(await sandbox.refusal("GET", "/requests?format=CURL")).toBe('format must be json or curl; it is "CURL"');
  });
});

describe("a secret is redacted in JSON, in curl lines and in events", () => {
  const secret = () => sandbox.caller.key.apiSecret;
  const get = (path: string, headers: Record<string, string> = {}) => sandbox.ask("GET", path, { headers });
  const CALLS: [where: string, call: () => Promise<unknown>][] = [
    ["in its header", () => get("/transactions.php")],
    ["in another header", () => get("/transactions.php", { "X-API-Key": secret() })],
    ["as a bearer token", () => get("/transactions.php", { Authorization: `Bearer ${secret()}` })],
    ["in the query", () => get(`/transactions.php?api_secret=${secret()}`)],
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

  test.each(["X-API-Secret", "Authorization", "Proxy-Authorization", "Cookie"])(
    "the header %s, whatever its value",
    async (header) => {
      const stream = await sandbox.listen();
      await get("/transactions.php", { [header]: "a-value-of-no-known-shape" });
      const logged = await sandbox.logged();
      expect(logged).toMatchObject([{ headers: { [header.toLowerCase()]: "[redacted]" } }]);
      for (const shown of [logged, await curlLines(), await stream.until(1)]) {
        expect(JSON.stringify(shown)).not.toContain("no-known-shape");
      }
    },
  );

  test("in the name of a member that a refusal repeats", async () => {
    for (const name of [secret(), secret().replace("_", "\\u005f")]) {
      const body = `[{"outcome":"cancelled","${name}":1}]`;
      const answer = await sandbox.call("POST", "/rules", { body, headers: { "Content-Type": "application/json" } });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain("[redacted]");
      expect(answer.text).not.toContain(secret().slice(3));
    }
  });

  test("but not a word that only begins like a secret", async () => {
    await sandbox.pay({ reference: "items_42 ms_short" });
    await get("/transactions.php?items_page=1");
    expect(await sandbox.logged()).toMatchObject([
      { body: expect.stringContaining("items_42 ms_short") },
      { target: "/v2/transactions.php?items_page=1" },
    ]);
  });
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

  expect(String(await rejectionOf(server.control("POST", "/requests/7/replay")))).toContain(
    "404 the log has no request with this id",
  );
  await server.pay({ padding: "x".repeat(5000) });
  expect(String(await rejectionOf(server.control("POST", "/requests/3/replay")))).toContain(
    "does not have the whole body",
  );
  await server.stop();
});

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const TEXT = { "Content-Type": "text/plain" };
const JSON_TYPE = { "Content-Type": "application/json" };
const json = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 5 });
const LATIN_1 = Buffer.from(json.replace("5}", '"5","reference":"\xff"}'), "latin1");

describe("lenient: the log has each correction that a request needed, with the member and its value", () => {
  const sandbox = useScene({ profile: { accept: "lenient" } });

  const push = (call: Parameters<typeof sandbox.ask>[2]) => sandbox.ask("POST", "/stkpush.php", call);
  const order = { payment_account_id: "1", phone: 712345678, amount: 100, reference: null, description: "shoes" };
  const untyped = Buffer.from('{"checkout_request_id":" x "}');
  const CASES: [name: string, send: () => Promise<unknown>, leniencies: [member: string, came: string][]][] = [
    [
      "several members, but not the correct ones",
      () => push({ json: order }),
      [
        ["payment_account_id", '"1"'],
        ["phone", "712345678"],
        ["reference", "null"],
      ],
    ],
    [
      "the body and its content type",
      () => push({ body: `\ufeff${json}`, headers: TEXT }),
      [
        ["Content-Type", '"text/plain"'],
        ["body", "a byte order mark"],
      ],
    ],
    [
      "no content type, also of a call that is refused",
      () => sandbox.ask("POST", "/status.php", { body: untyped }),
      [
        ["Content-Type", "none"],
        ["checkout_request_id", '" x "'],
      ],
    ],
    [
      "the query",
      () => sandbox.ask("GET", "/transactions.php?limit=500&status=paid&page=1"),
      [
        ["limit", '"500"'],
        ["status", '"paid"'],
      ],
    ],
    ["a member that no operation reads: none", () => sandbox.ask("GET", "/transactions.php?amount=5"), []],
  ];
  test.each(CASES)("%s", async (_name, send, pairs) => {
    await send();
    const leniencies = pairs.map(([member, came]) => ({ member, came }));
    expect(await sandbox.logged()).toMatchObject([{ leniencies, lenient_takes: false }]);
  });

  test("a secret in a member is not shown", async () => {
    const { apiSecret } = sandbox.caller.key;
    await sandbox.ask("GET", `/transactions.php?status=${apiSecret}`);
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [{ member: "status", came: '"[redacted]"' }] }]);
    expect(JSON.stringify(await sandbox.logged())).not.toContain(apiSecret);
  });
});

describe("strict: the log says of a refusal whether the lenient form would accept the request", () => {
  const push =
    (changes: object, headers = {}) =>
    () =>
      sandbox.ask("POST", "/stkpush.php", { json: { ...payment(sandbox.caller), ...changes }, headers });
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) => {
    const content = typeof body === "string" ? Buffer.from(body) : body;
    return () => sandbox.ask("POST", path, { body: content, headers });
  };
  const get =
    (path: string, headers = {}) =>
    () =>
      sandbox.ask("GET", path, { headers });

  const CASES: [name: string, send: () => Promise<unknown>, takes: boolean][] = [
    ["a number in text", push({ amount: "5" }), true],
    ["a form", post("/stkpush.php", "payment_account_id=1&phone=0712345678&amount=5", FORM), true],
    ["no content type", post("/stkpush.php", json), true],
    ["a byte order mark", post("/stkpush.php", `\ufeff${json}`, JSON_TYPE), true],
    ["a page below 1", get("/transactions.php?page=0"), true],
    ["one member of two", push({ amount: "5", phone: "x" }), false],
    ["an account of another merchant", push({ payment_account_id: 999 }), false],
    ["an outcome that does not exist", push({}, { "X-Sandbox-Outcome": "paid" }), false],
    ["no JSON", post("/stkpush.php", "{", TEXT), false],
    ["bytes that are not UTF-8", post("/stkpush.php", LATIN_1, JSON_TYPE), false],
    ["an unknown payment", post("/status.php", '{"checkout_request_id":"x"}', JSON_TYPE), false],
    ["wrong credentials", get("/transactions.php?page=0", { "X-API-Key": "mk_no" }), false],
    ["a request that is accepted anyway", push({}), false],
  ];
  test.each(CASES)("%s", async (_name, send, takes) => {
    await send();
    expect(await sandbox.logged()).toMatchObject([{ leniencies: [], lenient_takes: takes }]);
  });
});
