import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { payment } from "../support/scenario.ts";
import { openWire, type Wire } from "../support/wire.ts";

let wire: Wire;
let order: string;
beforeAll(async () => {
  wire = await openWire();
  order = JSON.stringify(payment(wire.caller));
});
afterAll(() => wire.close());

const MEGABYTES_2 = 2 * 1024 * 1024;
const base = () => `http://127.0.0.1:${wire.port}/v2`;
const length = (size: number) => `Content-Length: ${size}\r\n`;

async function statusAndBody(raw: string) {
  const { answers } = await wire.exchange(raw);
  const [answer] = answers;
  return { status: answer?.status, body: JSON.parse(answer?.text ?? "null") as Record<string, unknown> };
}

async function countPayments(): Promise<unknown> {
  const { body } = await wire.send({ path: "/transactions.php?limit=1" });
  return (body.pagination as { total_items: number }).total_items;
}

describe("a body may come in any pieces", () => {
  test("declared", async () => {
    const { status, body } = await statusAndBody(wire.startRequest(length(order.length), order));
    expect([status, body.success]).toEqual([200, true]);
  });

  test("in chunks, with chunk extensions", async () => {
    const [head, tail] = [order.slice(0, 5), order.slice(5)];
    const chunks = `5;a=b\r\n${head}\r\n${tail.length.toString(16)}\r\n${tail}\r\n0\r\n\r\n`;
    const { status, body } = await statusAndBody(wire.startRequest("Transfer-Encoding: chunked\r\n", chunks));
    expect([status, body.success]).toEqual([200, true]);
  });

  test("after 100 Continue", async () => {
    const raw = wire.startRequest(`${length(order.length)}Expect: 100-continue\r\n`, order);
    expect((await statusAndBody(raw)).status).toBe(200);
  });
});

describe("Content-Type and body 400, in JSON that the client can read", () => {
  const BODIES: [name: string, headers: string, body: string][] = [
    ["no length and no body", "", ""],
    ["the length 0", length(0), ""],
    ["no length, but a body", "", "{}"],
    ["an empty body in chunks", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"],
    ["more than was declared", length(1), '{"a":1}'],
    ["100 MB declared and nothing sent", length(100 * 1024 * 1024), ""],
    ["a petabyte declared", length(1e15), "{"],
    ["2 MB declared and sent", length(MEGABYTES_2), "a".repeat(MEGABYTES_2)],
    ["2 MB in one chunk", "Transfer-Encoding: chunked\r\n", `200000\r\n${"a".repeat(MEGABYTES_2)}\r\n0\r\n\r\n`],
  ];
  for (const [name, headers, content] of BODIES) {
    test(name, async () => {
      const before = await countPayments();
      const { status, body } = await statusAndBody(wire.startRequest(headers, content));
      expect(status).toBe(400);
      expect(body).toEqual({ success: false, message: expect.stringContaining("the body") });
      expect(await countPayments()).toBe(before);
    });
  }

  test("2 MB by fetch, declared and streamed, and the next request on the same client", async () => {
    const headers = { ...wire.caller.headers, "Content-Type": "application/json" };
    const large = new Uint8Array(MEGABYTES_2).fill(0x61);
    for (const body of [large, new Blob([large]).stream()]) {
      const answer = await fetch(`${base()}/stkpush.php`, { method: "POST", headers, body });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({ success: false, message: expect.stringContaining("larger") });
      expect((await fetch(`${base()}/transactions.php`, { headers })).status).toBe(200);
    }
  });
});

describe("a body that a GET does not need is ignored", () => {
  test("a short and a large one; the connection goes on", async () => {
    for (const size of [5, MEGABYTES_2]) {
      const list = `GET /v2/transactions.php HTTP/1.1\r\nHost: a\r\n${wire.credentials}`;
      const raw = `${list}${length(size)}\r\n${"a".repeat(size)}`;
      const { answers } = await wire.exchange(raw, { next: `${list}\r\n`, answers: 2 });
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    }
  });
});

describe("unknown path 404 → wrong method 405 → bad credentials 401: nothing of the body is needed for these", () => {
  const HEAD = "HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  for (const [line, status] of [
    ["POST /nothing", 404],
    ["PUT /v2/stkpush.php", 405],
    ["POST /v2/stkpush.php", 401],
  ] as const) {
    test(`${status} comes before the rest of the body`, async () => {
      expect((await statusAndBody(`${line} ${HEAD}`)).status).toBe(status);
    });
  }
});

describe("a client that stalls or leaves", () => {
  test("half a body and then nobody: no payment, no bug is reported", async () => {
    const before = await countPayments();
    for (const headers of [length(order.length), "Transfer-Encoding: chunked\r\n"]) {
      const half = headers.startsWith("Content") ? order.slice(0, 10) : `5\r\n${order.slice(0, 5)}\r\n`;
      const leaving = await wire.open(wire.startRequest(headers, half));
      // Answered, so the half before it has arrived.
      await statusAndBody(wire.startRequest("", ""));
      await leaving.end();
      await statusAndBody(wire.startRequest("", ""));
    }
    expect(await countPayments()).toBe(before);
    const faults = wire.harness.faults.splice(0);
    expect(faults.map(String)).toEqual([]);
  });
});
