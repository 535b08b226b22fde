import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import fc from "fast-check";
import { cleanUp, later } from "../support/cleanup.ts";
import { connectTo, exchange } from "../support/connection.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { SEED, TIMES } from "../support/random.ts";
import { SLACK_MS } from "../support/waiting.ts";

let server: Served;
let credentials: string;
beforeAll(async () => {
  server = await serveMomo(["--quiet"]);
  credentials = `X-API-Key: ${server.ready.api_key}\r\nX-API-Secret: ${server.ready.api_secret}\r\n`;
});
afterAll(cleanUp);

const HOST = "Host: 127.0.0.1\r\n";
const ORDER = '{"payment_account_id":1,"phone":"0712345678","amount":1}';
const list = () => `GET /v2/transactions.php HTTP/1.1\r\n${HOST}${credentials}\r\n`;
/** @param headers further header lines */
const start = (headers: string, body: string) =>
  `POST /v2/stkpush.php HTTP/1.1\r\n${HOST}${credentials}Content-Type: application/json\r\n${headers}\r\n${body}`;
const declared = `Content-Length: ${ORDER.length}\r\n`;

async function countPayments(): Promise<number> {
  const answer = (await (await server.get("/transactions.php?limit=1")).json()) as {
    pagination: { total_items: number };
  };
  return answer.pagination.total_items;
}

describe("bytes that are no HTTP request never reach the API, and are refused without a body", () => {
  const bare = (status: string) => `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
  const BAD = bare("400 Bad Request");
  const LARGE = bare("431 Request Header Fields Too Large");
  const many = Array.from({ length: 210 }, (_, index) => `X-${index}: 1\r\n`).join("");

  /** The bytes that are sent, the whole answer until the connection is closed, and how many payments are stored. */
  const REFUSED: [name: string, raw: () => string, answer: string, stored?: number][] = [
    ["no Host", () => `GET /v2/transactions.php HTTP/1.1\r\n${credentials}\r\n`, BAD],
    ["a target that is no path", () => list().replace(/ \S+ /, " * "), BAD],
    ["a head above 16 KiB", () => list().replace(HOST, `${HOST}X: ${"a".repeat(17_000)}\r\n`), LARGE],
    ["more than 200 header lines", () => list().replace(HOST, HOST + many), LARGE],
    ["two lengths that differ", () => start(`${declared}Content-Length: 3\r\n`, ORDER), BAD],
    ["a length and chunks", () => start(`${declared}Transfer-Encoding: chunked\r\n`, "0\r\n\r\n"), BAD],
    ["a chunk without a size", () => start("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"), BAD],
    ["an encoding that is not chunked", () => start("Transfer-Encoding: gzip\r\n", ORDER), BAD],
    ["another version", () => list().replace("HTTP/1.1", "HTTP/3.0"), bare("505 HTTP Version Not Supported")],
    ["lines that end without a return", () => list().replaceAll("\r", ""), bare("505 HTTP Version Not Supported")],
    ["the beginning of TLS", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", BAD],
    ["the beginning of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD],
    ["an unknown method", () => list().replace("GET", "BREW"), ""],
    ["a method in small letters", () => list().replace("GET", "get"), ""],
    [
      "trailers behind the chunks: the payment is carried out",
      () =>
        start("Transfer-Encoding: chunked\r\n", `${ORDER.length.toString(16)}\r\n${ORDER}\r\n0\r\nX-Sum: 1\r\n\r\n`),
      BAD,
      1,
    ],
    [
      "a second request before the first is answered: the first is carried out",
      () => start(declared, ORDER) + start(declared, ORDER),
      "",
      1,
    ],
  ];
  for (const [name, raw, answer, stored = 0] of REFUSED) {
    test(name, async () => {
      const before = await countPayments();
      const { received, closed } = await exchange(server.ready.base_url, Buffer.from(raw(), "latin1"));
      expect({ received, closed }).toEqual({ received: answer, closed: true });
      // The connection is closed before the payment is on disk.
      let count = await countPayments();
      while (count < before + stored) count = await countPayments();
      expect(count).toBe(before + stored);
    });
  }
});

test("any bytes, and requests in which some are replaced: an answer with a body is JSON with `success` and `message`; one without is a refusal", async () => {
  const damaged = fc
    .tuple(fc.constantFrom(list(), start(declared, ORDER)), fc.nat(400), fc.nat(20), fc.uint8Array({ maxLength: 20 }))
    .map(([text, at, cut, put]) => {
      const bytes = Buffer.from(text, "latin1");
      return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]);
    });
  const holds = fc.asyncProperty(fc.oneof(damaged, fc.uint8Array({ maxLength: 1000 })), async (bytes) => {
    const { answers, rest, received } = await exchange(server.ready.base_url, bytes, { silentMs: 30 });
    expect(rest, received).toBe("");
    for (const { status, head, text } of answers) {
      const isJson = /^content-type: application\/json/im.test(head);
      expect(isJson ? [200, 400, 401, 404, 405] : [400, 431, 505], received).toContain(status);
      const answer = isJson ? (JSON.parse(text) as object) : null;
      if (answer) expect(answer).toMatchObject({ success: status === 200, message: expect.any(String) });
      else expect(text).toBe("");
    }
  });
  await fc.assert(holds, { numRuns: 50 * TIMES, seed: SEED });
  expect(server.child.stderr.text).toBe("");
});

/** What a client sends before it stalls, and how many seconds momo waits for more. */
const STALLED: [name: string, part: () => string, waitsS: number][] = [
  ["nothing at all", () => "", 10],
  ["half a head", () => list().slice(0, 40), 10],
  ["half a body", () => start(declared, ORDER.slice(0, -10)), 30],
];

// It takes half a minute, and so it is a part of longer runs only.
if (TIMES > 1) {
  describe("the connection of a client that stalls is closed in time, without an answer", () => {
    test.concurrent.each(STALLED)("%s", async (_name, part, waitsS) => {
      const startedMs = performance.now();
      const { received, closed } = await exchange(server.ready.base_url, part());
      expect({ received, closed }).toEqual({ received: "", closed: true });
      expect(Math.abs(performance.now() - startedMs - waitsS * 1000)).toBeLessThan(SLACK_MS);
    });
  });
}

describe("hundreds of clients that stall beside one that does not", () => {
  const say = async (text: string) => (await connectTo(server.ready.base_url)).write(text);

  /** How a client stalls. */
  const STALLS: readonly (() => Promise<unknown>)[] = [
    () => connectTo(server.ready.base_url), // it sends nothing
    () => say(list().slice(0, 40)),
    () => say(start(declared, '{"pay')),
    () => say(start("Transfer-Encoding: chunked\r\n", "ff\r\n{")),
    sendByteByByte,
    neverRead,
  ];

  async function sendByteByByte(): Promise<void> {
    const connection = await connectTo(server.ready.base_url);
    const bytes = start(declared, ORDER);
    let sent = 0;
    const trickle = setInterval(() => connection.write(bytes[sent++ % bytes.length] ?? ""), 20);
    later(() => clearInterval(trickle));
  }

  async function neverRead(): Promise<void> {
    const { hostname, port } = new URL(server.ready.base_url);
    const connected = Promise.withResolvers<void>();
    const socket = connect(Number(port), hostname, connected.resolve);
    socket.pause();
    socket.on("error", () => {});
    later(() => socket.destroy());
    await connected.promise;
    socket.write(list().replace("transactions.php", "transactions.php?limit=100"));
  }

  // A process may be limited to 256 open files, and other tests have some.
  const limit = Number(Bun.spawnSync(["sh", "-c", "ulimit -n"]).stdout);
  const EACH = limit < 1024 ? 10 : 50;

  test(`${EACH} clients for each way to stall: every answer to the other client arrives within a second`, async () => {
    await Promise.all(STALLS.flatMap((stall) => Array.from({ length: EACH }, stall)));
    for (let asked = 0; asked < 20; asked++) {
      const startedMs = performance.now();
      expect((await server.get("/transactions.php")).status).toBe(200);
      expect(performance.now() - startedMs).toBeLessThan(1000 + SLACK_MS);
    }
  });

  test("with all of them there it stops within three seconds, with exit code 0 and nothing on stderr", async () => {
    expect(server.child.stderr.text).toBe("");
    const startedMs = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(3000 + SLACK_MS);
    expect(server.child.stderr.text).toBe("");
  });
});
