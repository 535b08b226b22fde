import { afterAll, describe, expect, test } from "bun:test";
import { respond, succeed } from "../../src/http/reply.ts";
import { startServer } from "../../src/http/server.ts";
import { durations } from "../../src/system.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { connectTo, exchange, linesOf, type RawAnswer } from "../support/connection.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);
const sandbox = await startIn(newFolder());
const { origin } = sandbox;
const credentials = linesOf(sandbox.headers);
const ORDER = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 });
const MEGABYTES_2 = 2 * 1024 * 1024;

const request = (line: string, headers = "Host: localhost\r\n") => `${line}\r\n${headers}${credentials}\r\n`;

/** A request for a payment with these header lines and this body. */
const startRequest = (headers: string, body: string) =>
  `POST /v2/stkpush.php HTTP/1.1\r\nHost: localhost\r\n${credentials}Content-Type: application/json\r\n${headers}\r\n${body}`;
const lengthOf = (size: number) => `Content-Length: ${size}\r\n`;

/** The answer, which must be JSON with `success` and `message`. */
async function answerTo(raw: string | Uint8Array): Promise<RawAnswer & { body: Record<string, unknown> }> {
  const { answers } = await exchange(origin, raw, { answers: 1 });
  const [answer] = answers;
  if (!answer) throw new Error("the connection was closed without an answer");
  expect(answer.head).toMatch(/^content-type: application\/json$/im);
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  expect(body.success).toBe(answer.status === 200);
  expect(body.message).toBeString();
  return { ...answer, body };
}

const countPayments = async () => (await sandbox.list("?limit=100")).length;

describe("the Host header changes nothing", () => {
  const HOSTS = ["", "a b", "<>^", "a:99999", "a/b", "a?b", "a#b", "user@a", "[::1", "caf\xe9", "..", "a".repeat(5000)];
  test.each(HOSTS.map((host) => [host.slice(0, 30), host]))("Host: %s", async (_shown, host) => {
    const send = (path: string) =>
      answerTo(Buffer.from(request(`GET ${path} HTTP/1.1`, `Host: ${host}\r\n`), "latin1"));
    expect((await send("/v2/transactions.php?limit=7")).body).toMatchObject({ pagination: { per_page: 7 } });
    expect((await send("/x?y")).status).toBe(404);
  });

  test("two Host headers are answered in JSON", async () => {
    await answerTo(request("GET /v2/transactions.php HTTP/1.1", "Host: a\r\nHost: b\r\n"));
  });

  test.each(["Host: localhost\r\n", ""])(
    "HTTP/1.0 with %j; the connection is closed after the answer",
    async (host) => {
      const raw = request("GET /v2/transactions.php HTTP/1.0", host);
      const { answers, closed } = await exchange(origin, raw, { answers: 2 });
      expect([answers.map(({ status }) => status), closed]).toEqual([[200], true]);
    },
  );
});

describe("the target of a request", () => {
  const TARGETS: [target: string, status: number][] = [
    ["http://localhost/v2/transactions.php?limit=1", 200],
    ["HTTPS://elsewhere.example:81/v2/transactions.php", 200],
    ["/v2/%00", 404],
    ["/v2/transactions.php%", 404],
    ["/v2/transactions.php%3Flimit=0", 404],
    ["//localhost//v2/transactions.php", 404],
    ["/v2/transactions.php??limit=0", 200],
    ["/v2/transactions.php?limit=1#limit=0", 200],
    ["/v2/transactions.php?search=http://x/y?z", 200],
    ["/v2/transactions.php?search=é☃", 200],
    ["/v2/transactions.php?search=%E9", 400],
    [`/v2/transactions.php?search=${"a".repeat(12_000)}`, 400],
    [`/v2/${"a".repeat(12_000)}`, 404],
  ];
  test.each(TARGETS.map(([target, status]) => [target.slice(0, 60), status, target] as const))(
    "%s: %p",
    async (_shown, status, target) => {
      expect((await answerTo(request(`GET ${target} HTTP/1.1`))).status).toBe(status);
    },
  );
});

describe("the method of a request", () => {
  test.each(["OPTIONS", "TRACE", "M-SEARCH"])("%s is 405 with Allow", async (method) => {
    const answer = await answerTo(request(`${method} /v2/transactions.php HTTP/1.1`));
    expect(answer.status).toBe(405);
    expect(answer.head).toMatch(/^allow: GET$/im);
  });

  test("HEAD has the same head and no body, so the connection goes on", async () => {
    const head = request("HEAD /v2/transactions.php HTTP/1.1");
    const next = request("GET /nothing HTTP/1.1");
    const { answers } = await exchange(origin, head, { headOnly: true, next, answers: 2 });
    expect(answers.map(({ status }) => status)).toEqual([405, 404]);
    expect(answers[0]?.head).toMatch(/^allow: GET$/im);
  });

  test("CONNECT is an unknown path", async () => {
    expect((await answerTo(request("CONNECT localhost:80 HTTP/1.1"))).status).toBe(404);
  });
});

test.each(["\xff\xe9", "é☃", "\t"])("credentials with unusual characters are 401: %j", async (value) => {
  const headers = `Host: a\r\nX-API-Key: ${value}\r\nX-API-Secret: ${value}\r\n`;
  expect((await answerTo(`GET /v2/transactions.php HTTP/1.1\r\n${headers}\r\n`)).status).toBe(401);
});

test("12 KB of other headers, and 190 of them, are accepted", async () => {
  const many = Array.from({ length: 190 }, (_, index) => `X-${index}: 1\r\n`).join("");
  for (const more of [`X-Long: ${"a".repeat(12_000)}\r\n`, many]) {
    await answerTo(request("GET /v2/transactions.php HTTP/1.1", `Host: localhost\r\n${more}`));
  }
});

test.each([
  ["at once", lengthOf(ORDER.length), ORDER],
  ["at once, and announced", `${lengthOf(ORDER.length)}Expect: 100-continue\r\n`, ORDER],
  [
    "in chunks",
    "Transfer-Encoding: chunked\r\n",
    `5;a=b\r\n${ORDER.slice(0, 5)}\r\n${(ORDER.length - 5).toString(16)}\r\n${ORDER.slice(5)}\r\n0\r\n\r\n`,
  ],
])("a body may arrive %s", async (_way, headers, body) => {
  expect((await answerTo(startRequest(headers, body))).status).toBe(200);
});

describe("Expect", () => {
  test("100-continue is answered before the body", async () => {
    const client = await connectTo(origin);
    client.write(startRequest(`${lengthOf(ORDER.length)}Expect: 100-continue\r\n`, ""));
    await client.received.until(/./);
    client.write(ORDER);
    await client.received.until(/}$/);
    expect(client.received.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    client.end();
  });

  test.each(["100-Continue", "100-CONTINUE"])(
    "%s is refused before the body, for which its client would wait for ever, and the connection ends",
    async (expectation) => {
      const raw = startRequest(`${lengthOf(ORDER.length)}Expect: ${expectation}\r\n`, "");
      const { answers, closed } = await exchange(origin, raw, { answers: 2 });
      expect(answers).toMatchObject([{ status: 417, text: expect.stringContaining(`it is \\"${expectation}\\""`) }]);
      expect(closed).toBe(true);
    },
  );

  test("another expectation is ignored", async () => {
    expect((await answerTo(startRequest(`${lengthOf(ORDER.length)}Expect: more\r\n`, ORDER))).status).toBe(200);
  });
});

describe("a bad body is 400 with an answer that the client can read", () => {
  test.each([
    ["no length and no body", "", ""],
    ["no length, but a body", "", "{}"],
    ["an empty body in chunks", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"],
    ["more than was declared", lengthOf(1), '{"a":1}'],
    ["a petabyte declared", lengthOf(1e15), "{"],
    ["2 MB declared and sent", lengthOf(MEGABYTES_2), "a".repeat(MEGABYTES_2)],
    ["2 MB in one chunk", "Transfer-Encoding: chunked\r\n", `200000\r\n${"a".repeat(MEGABYTES_2)}\r\n0\r\n\r\n`],
  ])("%s", async (_name, headers, content) => {
    const before = await countPayments();
    const { status, body } = await answerTo(startRequest(headers, content));
    expect([status, body]).toEqual([400, { success: false, message: expect.stringContaining("the body") }]);
    expect(await countPayments()).toBe(before);
  });

  test("2 MB by fetch, declared and streamed; the next request of the same client is served", async () => {
    const base = `${origin}/v2`;
    const headers = { ...sandbox.headers, "Content-Type": "application/json" };
    const large = new Uint8Array(MEGABYTES_2).fill(0x61);
    for (const body of [large, new Blob([large]).stream()]) {
      const answer = await fetch(`${base}/stkpush.php`, { method: "POST", headers, body });
      expect([answer.status, await answer.json()]).toMatchObject([400, { success: false }]);
      expect((await fetch(`${base}/transactions.php`, { headers })).status).toBe(200);
    }
  });
});

test.each([5, MEGABYTES_2])("a GET ignores its body of %p bytes, and the connection goes on", async (size) => {
  const list = `GET /v2/transactions.php HTTP/1.1\r\nHost: a\r\n${credentials}`;
  const raw = `${list}${lengthOf(size)}\r\n${"a".repeat(size)}`;
  const { answers } = await exchange(origin, raw, { next: `${list}\r\n`, answers: 2 });
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});

test.each([
  ["POST /nothing", 404],
  ["PUT /v2/stkpush.php", 405],
  ["POST /v2/stkpush.php", 401],
])("%s without credentials is %p before the rest of the body has come", async (line, status) => {
  const head = "HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  expect((await answerTo(`${line} ${head}`)).status).toBe(status);
});

test("a client that leaves in the middle of its body starts no payment and causes no fault", async () => {
  const before = await countPayments();
  for (const [headers, half] of [
    [lengthOf(100), '{"amount":'],
    ["Transfer-Encoding: chunked\r\n", '5\r\n{"amo\r\n'],
  ] as const) {
    const leaving = await connectTo(origin);
    leaving.write(startRequest(headers, half));
    // When this request is answered, the half before it has arrived.
    await answerTo(startRequest("", ""));
    leaving.end();
    await leaving.closed;
    await answerTo(startRequest("", ""));
  }
  expect(await countPayments()).toBe(before);
});

test("requests beyond the limit of those in progress are 503; when some are answered, others are served again", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
  const server = startServer({
    hostname: "127.0.0.1",
    port: 0,
    busyPaths: [],
    maxInFlight: 3,
    always: "/health",
    reportFault: () => {},
    durations,
    handle: () => released.then(() => respond(succeed("served", {}))),
  });
  const statuses: number[] = [];
  async function ask(): Promise<void> {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/?x=/health`);
    statuses.push(status);
    if (statuses.length === 2) refuse();
  }
  const asked = Array.from({ length: 5 }, ask);
  await refused;
  expect(statuses).toEqual([503, 503]);
  release();
  await Promise.all(asked);
  await ask();
  expect(statuses).toEqual([503, 503, 200, 200, 200, 200]);
  await server.stop(0);
});

test("from the start of a stop, each answer closes its connection, whatever the path is", async () => {
  const handle = async () => respond(succeed("served", {}));
  const busyPaths = ["/busy"];
  const server = startServer({ hostname: "127.0.0.1", port: 0, busyPaths, reportFault: () => {}, durations, handle });
  const closes = async (path: string) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`)).headers.get("Connection") === "close";
  const PATHS = ["/", "/busy", "/v2/other", "/v2/other/", "/1/2/3/4/5/6/7/8/9"];
  expect(await Promise.all(PATHS.map(closes))).toEqual(PATHS.map(() => false));
  server.drain();
  expect(await Promise.all(PATHS.map(closes))).toEqual(PATHS.map(() => true));
  await server.stop(0);
});

const MEGABYTE = 1024 * 1024;

const answer = () => respond(succeed("a", { text: "ä".repeat(MEGABYTE / 2 - 50) }));

test("of clients that read slowly, 64 MB wait in sum; then 503, and when they have read or gone, answers again", async () => {
  const readers = [];
  for (let count = 0; count < 64; count += 1) {
    const response = answer();
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    readers.push(reader);
  }
  const refused = answer();
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining("64 MB") });
  expect(await respond(succeed("small", {})).text()).toContain("small");
  const [gone, slow] = readers as [(typeof readers)[0], (typeof readers)[0]];
  await gone.cancel();
  expect(await answer().text()).toContain("success");
  while (!(await slow.read()).done);
  for (const more of [answer(), answer()]) expect(await more.text()).toContain("success");
  expect(answer().status).toBe(200);
  for (const reader of readers) await reader.cancel();
});
