import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { payment } from "../support/scenario.ts";
import { openWire, type Wire } from "../support/wire.ts";

/**
 * What the runtime's HTTP parser refuses before any of our code sees it. Its refusals have no body, so all that can be held
 * is that they are refusals, that nothing is stored, and that the server serves on.
 */

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire.close());

const HOST = "Host: localhost\r\n";
const LIST = "GET /v2/transactions.php HTTP/1.1\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const many = Array.from({ length: 250 }, (_, index) => `X-${index}: 1\r\n`).join("");

/** What is written; the credentials are in the place of the $. */
const REFUSED: [name: string, raw: string][] = [
  ["HTTP/1.1 without Host", `${LIST}$\r\n`],
  ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${HOST}$\r\n`],
  ["a target without a slash", `GET v2/transactions.php HTTP/1.1\r\n${HOST}$\r\n`],
  ["a space in the target", `GET /v2/a b HTTP/1.1\r\n${HOST}$\r\n`],
  ["HTTP/2.0", `GET /v2/transactions.php HTTP/2.0\r\n${HOST}$\r\n`],
  ["no version", "GET /v2/transactions.php\r\n\r\n"],
  ["headers of more than 16 KB", `${LIST}${HOST}$X: ${"a".repeat(20_000)}\r\n\r\n`],
  ["a target of more than 16 KB", `GET /v2/x?${"a".repeat(20_000)} HTTP/1.1\r\n${HOST}$\r\n`],
  ["250 headers", `${LIST}${HOST}$${many}\r\n`],
  ["a header without a colon", `${LIST}${HOST}$foo\r\n\r\n`],
  ["a space in a header's name", `${LIST}${HOST}$fo o: 1\r\n\r\n`],
  ["a NUL in a header", `${LIST}${HOST}$foo: a\0b\r\n\r\n`],
  ["a folded header", `${LIST}${HOST}$foo: a\r\n b\r\n\r\n`],
  ["line ends without a carriage return", `${LIST}${HOST}$\r\n`.replaceAll("\r", "")],
  ["not HTTP", "hello\r\n\r\n"],
  ["the first bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a negative length", `POST /v2/stkpush.php HTTP/1.1\r\n${HOST}$Content-Length: -5\r\n\r\n{}`],
  [
    "two different lengths",
    `POST /v2/stkpush.php HTTP/1.1\r\n${HOST}$Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
  ],
  [
    "a length and chunks",
    `POST /v2/stkpush.php HTTP/1.1\r\n${HOST}$Content-Length: 2\r\n${CHUNKED}\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    "a transfer encoding that is not chunked",
    `POST /v2/stkpush.php HTTP/1.1\r\n${HOST}$Transfer-Encoding: gzip\r\n\r\n{}`,
  ],
  ["a chunk size that is no number", `POST /v2/stkpush.php HTTP/1.1\r\n${HOST}$${CHUNKED}\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ["a method in small letters", `get /v2/transactions.php HTTP/1.1\r\n${HOST}$\r\n`],
  ["a method that nobody registered", `BREW /v2/transactions.php HTTP/1.1\r\n${HOST}$\r\n`],
];

describe("what is not HTTP/1.1 is refused, stores nothing, and the server serves on", () => {
  for (const [name, raw] of REFUSED) {
    test(name, async () => {
      const { answers, closed } = await wire.exchange(raw.replace("$", wire.credentials), { answers: 3 });
      expect(closed).toBe(true);
      for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400);
      const after = await wire.exchange(`${LIST}${HOST}${wire.credentials}\r\n`);
      expect(JSON.parse(after.answers[0]?.text ?? "null")).toMatchObject({ success: true, transactions: [] });
    });
  }

  test("and a payment can be started after all of them", async () => {
    const order = JSON.stringify(payment(wire.caller));
    const { answers } = await wire.exchange(wire.startRequest(`Content-Length: ${order.length}\r\n`, order));
    expect(answers[0]?.status).toBe(200);
  });
});
