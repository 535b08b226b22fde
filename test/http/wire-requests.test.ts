import { describe, expect, test } from "bun:test";
import { forAllTests } from "../support/use.ts";
import { openWire, type WireAnswer } from "../support/wire.ts";

const wire = forAllTests(openWire);

/** A request line and header lines; the credentials stand in between. */
const request = (line: string, headers = "Host: localhost\r\n") => `${line}\r\n${headers}${wire.credentials}\r\n`;

function expectJson({ head, text, status }: WireAnswer): Record<string, unknown> {
  expect(head).toMatch(/^content-type: application\/json$/im);
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body.success).toBe(status === 200);
  expect(body.message).toBeString();
  return body;
}

async function answerTo(raw: string | Uint8Array): Promise<WireAnswer> {
  const { answers } = await wire.exchange(raw);
  if (!answers[0]) throw new Error("the connection was closed without an answer");
  return answers[0];
}

describe("body of every answer: JSON with success and message, whatever the Host header says", () => {
  const HOSTS = ["", "a b", "<>^", "a:99999", "a/b", "a?b", "a#b", "user@a", "[::1", "caf\xe9", "..", "a".repeat(5000)];
  for (const host of HOSTS) {
    test(`Host: ${host.slice(0, 20)}`, async () => {
      const raw = request("GET /v2/transactions.php?limit=7 HTTP/1.1", `Host: ${host}\r\n`);
      const body = expectJson(await answerTo(Buffer.from(raw, "latin1")));
      expect(body).toMatchObject({ success: true, pagination: { per_page: 7 } });
    });
    test(`an unknown path with Host: ${host.slice(0, 20)}`, async () => {
      const answer = await answerTo(Buffer.from(request("GET /x?y HTTP/1.1", `Host: ${host}\r\n`), "latin1"));
      expect(answer.status).toBe(404);
      expectJson(answer);
    });
  }

  test("two Host headers", async () => {
    const headers = "Host: a\r\nHost: b\r\n";
    expectJson(await answerTo(request("GET /v2/transactions.php HTTP/1.1", headers)));
  });

  test("HTTP/1.0, with and without Host; the connection is closed after the answer", async () => {
    for (const headers of ["Host: localhost\r\n", ""]) {
      const raw = request("GET /v2/transactions.php HTTP/1.0", headers);
      const { answers, closed } = await wire.exchange(raw, { answers: 2 });
      expect(answers).toHaveLength(1);
      expect(closed).toBe(true);
      for (const answer of answers) expect(expectJson(answer).success).toBe(true);
    }
  });
});

describe("the target of a request", () => {
  const TARGETS: [target: string, status: number][] = [
    ["http://localhost/v2/transactions.php?limit=1", 200],
    ["http://elsewhere.example:81/v2/transactions.php", 200],
    ["HTTPS://elsewhere.example/v2/transactions.php", 200],
    ["http://localhost/nothing", 404],
    ["/v2/%00", 404],
    ["/v2/transactions.php%", 404],
    ["/v2/transactions.php%3Flimit=0", 404],
    ["/v2/é☃", 404],
    ["//localhost//v2/transactions.php", 404],
    ["/v2/transactions.php?", 200],
    ["/v2/transactions.php??", 200],
    ["/v2/transactions.php?limit=1#limit=0", 200],
    ["/v2/transactions.php?search=http://x/y?z", 200],
    ["/v2/transactions.php?search=é☃", 200],
    ["/v2/transactions.php?search=%E9", 400],
    [`/v2/transactions.php?search=${"a".repeat(12_000)}`, 400],
    [`/v2/${"a".repeat(12_000)}`, 404],
  ];
  for (const [target, status] of TARGETS) {
    test(`${target.slice(0, 60)}: ${status}`, async () => {
      const answer = await answerTo(request(`GET ${target} HTTP/1.1`));
      expect(answer.status, answer.text).toBe(status);
      expectJson(answer);
    });
  }
});

describe("wrong method 405 with Allow", () => {
  const METHODS = ["POST", "OPTIONS", "TRACE", "M-SEARCH"];
  for (const method of METHODS) {
    test(method, async () => {
      const answer = await answerTo(request(`${method} /v2/transactions.php HTTP/1.1`));
      expect(answer.status).toBe(405);
      expect(answer.head).toMatch(/^allow: GET$/im);
      expect(expectJson(answer).message).toContain("GET");
    });
  }

  test("HEAD: the same head, and no body", async () => {
    const head = request("HEAD /v2/transactions.php HTTP/1.1");
    const { answers } = await wire.exchange(head, { headOnly: true, next: head, answers: 2 });
    expect(answers.map(({ status }) => status)).toEqual([405, 405]);
    for (const answer of answers) {
      expect(answer.head).toMatch(/^allow: GET$/im);
      expect(answer.head).toMatch(/^content-type: application\/json$/im);
    }
  });

  test("CONNECT is an unknown path", async () => {
    const answer = await answerTo(request("CONNECT localhost:80 HTTP/1.1"));
    expect(answer.status).toBe(404);
    expectJson(answer);
  });
});

describe("header values", () => {
  test("letters beyond ASCII in the credentials: 401", async () => {
    for (const value of ["\xff\xe9", "é☃", "\t"]) {
      const raw = `GET /v2/transactions.php HTTP/1.1\r\nHost: a\r\nX-API-Key: ${value}\r\nX-API-Secret: ${value}\r\n\r\n`;
      const answer = await answerTo(raw);
      expect(answer.status).toBe(401);
      expectJson(answer);
    }
  });

  test("12 KB of other headers, and 190 of them", async () => {
    const many = Array.from({ length: 190 }, (_, index) => `X-${index}: 1\r\n`).join("");
    for (const more of [`X-Long: ${"a".repeat(12_000)}\r\n`, many]) {
      expectJson(await answerTo(request("GET /v2/transactions.php HTTP/1.1", `Host: localhost\r\n${more}`)));
    }
  });
});

describe("one connection, several requests", () => {
  test("a second request after the first answer, and a third", async () => {
    const list = request("GET /v2/transactions.php HTTP/1.1");
    const next = `${request("GET /nothing HTTP/1.1")}`;
    const { answers } = await wire.exchange(list, { next, answers: 2 });
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  });
});
