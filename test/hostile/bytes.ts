import { expect } from "bun:test";
import fc from "fast-check";
import { exchange } from "../support/connection.ts";
import type { Served } from "../support/momo.ts";
import type { Property } from "./requests.ts";

/** Bytes that are no whole request. */

export const ORDER = '{"payment_account_id":1,"phone":"0712345678","amount":1}';

const headerLines = ({ ready }: Served) =>
  `Host: 127.0.0.1\r\nX-API-Key: ${ready.api_key}\r\nX-API-Secret: ${ready.api_secret}\r\n`;

export const listRequest = (server: Served) => `GET /v2/transactions.php HTTP/1.1\r\n${headerLines(server)}\r\n`;

/** @param headers further header lines */
export const startRequest = (server: Served, headers: string, body: string) =>
  `POST /v2/stkpush.php HTTP/1.1\r\n${headerLines(server)}Content-Type: application/json\r\n${headers}\r\n${body}`;

/** Any bytes, and requests in which some bytes are replaced. */
export const anyBytes: Property = async (server, runs) => {
  const whole = [listRequest(server), startRequest(server, `Content-Length: ${ORDER.length}\r\n`, ORDER)];
  const damaged = fc
    .tuple(fc.constantFrom(...whole), fc.nat(400), fc.nat(20), fc.uint8Array({ maxLength: 20 }))
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
  await fc.assert(holds, { ...runs, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true });
};

/** Longer than momo waits. The runtime's timers are coarse. */
const SILENT_MS = 40_000;

/** What a client sends before it stalls, and how many seconds momo waits for more. */
const STALLED: readonly [name: string, part: (list: string, start: string) => string, waitsS: number][] = [
  ["nothing at all", () => "", 10],
  ["half a head", (list) => list.slice(0, 40), 10],
  ["half a body", (_list, start) => start.slice(0, -10), 30],
];

/** The connection of a client that stalls is closed in time, without an answer. One run of half a minute is enough. */
export const patience: Property = async (server) => {
  const list = listRequest(server);
  const start = startRequest(server, `Content-Length: ${ORDER.length}\r\n`, ORDER);
  await Promise.all(
    STALLED.map(async ([name, part, waitsS]) => {
      const startedMs = performance.now();
      const { received, closed } = await exchange(server.ready.base_url, part(list, start), { silentMs: SILENT_MS });
      const tookS = (performance.now() - startedMs) / 1000;
      if (!closed || received !== "" || Math.abs(tookS - waitsS) > 5) {
        throw new Error(`${name}: ${closed ? "closed" : "still open"} after ${tookS.toFixed(1)} s, ${received}`);
      }
    }),
  );
};
