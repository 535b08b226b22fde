import { describe, expect, test } from "bun:test";
import { faultText } from "../../cli/terminal/output.ts";
import { faultLine, requestLine } from "../../cli/terminal/request-line.ts";
import type { LoggedRequest } from "../../sandbox/request-log.ts";
import { createCredentials } from "../../src/domain/credentials.ts";
import { seededRandom } from "../support/random.ts";

const AT_MS = Date.UTC(2026, 10, 20, 7, 0, 0);
const { apiSecret } = createCredentials(seededRandom(7));

function called(changes: Partial<LoggedRequest>): LoggedRequest {
  return {
    id: 1,
    atMs: 0,
    durationMs: 1.23456,
    method: "POST",
    target: "/v2/stkpush.php",
    headers: new Headers({ "X-API-Secret": apiSecret }),
    body: `{"phone":"0712345678","secret":"${apiSecret}"}`,
    bodyCutBytes: 0,
    status: 200,
    answer: JSON.stringify({ success: true, message: "sent", checkout_request_id: "ws_CO_1" }),
    answerCutBytes: 0,
    fault: null,
    leniencies: [],
    isTakenLeniently: false,
    ...changes,
  };
}

const jsonOf = (changes: Partial<LoggedRequest>) => JSON.parse(requestLine("json", called(changes), AT_MS)) as object;

describe("one structured line: time, duration, method, path, status, outcome where there is one", () => {
  const always = { time: "2026-11-20T07:00:00.000Z", level: "info", method: "POST", path: "/v2/stkpush.php" };

  test("a payment that starts", () => {
    expect(jsonOf({})).toEqual({ ...always, status: 200, duration_ms: 1.235, checkout_request_id: "ws_CO_1" });
  });

  test("a status", () => {
    const answer = JSON.stringify({ success: true, message: "", status: "cancelled", checkout_request_id: "ws_CO_1" });
    expect(jsonOf({ answer })).toMatchObject({ transaction_status: "cancelled", checkout_request_id: "ws_CO_1" });
  });

  test("a refusal, with its reason", () => {
    const answer = JSON.stringify({ success: false, message: "amount is missing" });
    expect(jsonOf({ status: 400, answer })).toMatchObject({ status: 400, message: "amount is missing" });
  });

  test("an answer that a fault swallowed", () => {
    expect(jsonOf({ status: null, answer: null, fault: "disconnect" })).toEqual({
      ...always,
      status: null,
      duration_ms: 1.235,
      fault: "disconnect",
    });
  });

  test("a long list is not read for an outcome that it has not", () => {
    const answer = JSON.stringify({ success: true, message: "", status: "x", transactions: "x".repeat(2000) });
    expect(jsonOf({ method: "GET", answer })).toEqual({ ...always, method: "GET", status: 200, duration_ms: 1.235 });
  });

  test("for a person: the time in Nairobi, and the same in words", () => {
    const answer = JSON.stringify({ success: true, message: "", status: "completed", checkout_request_id: "ws_CO_1" });
    expect(requestLine("pretty", called({ answer }), AT_MS)).toBe(
      "10:00:00  200  POST  /v2/stkpush.php  1.2 ms  completed  ws_CO_1",
    );
    expect(requestLine("pretty", called({ status: null, answer: null, fault: "disconnect" }), AT_MS)).toBe(
      "10:00:00  ---  POST  /v2/stkpush.php  1.2 ms  (fault: disconnect)",
    );
  });
});

for (const format of ["json", "pretty"] as const) {
  describe(`${format}: what a client sends cannot harm the log`, () => {
    test("never a secret, wherever it was put; nor a query, a header or a body", () => {
      const answer = JSON.stringify({ success: false, message: `no ${apiSecret}` });
      const target = `/v2/${apiSecret}?search=0712345678&api_secret=${apiSecret}`;
      const line = requestLine(format, called({ target, status: 400, answer }), AT_MS);
      expect(line).toContain("/v2/[redacted]");
      expect(line).not.toContain(apiSecret);
      expect(line).not.toContain("0712345678");
    });

    test("no secret that is percent-encoded either", () => {
      for (const encoded of [apiSecret.replace("_", "%5F"), apiSecret.replace("ms_", "%6d%73%5f")]) {
        const answer = JSON.stringify({ success: false, message: `no ${encoded}` });
        const line = requestLine(format, called({ target: `/v2/${encoded}`, status: 400, answer }), AT_MS);
        expect(line).toContain("/v2/[redacted]");
        expect(line).not.toContain(apiSecret.slice(3));
      }
    });

    test("one line, of bounded length, without what a terminal would obey", () => {
      const answer = JSON.stringify({ success: false, message: "a\nb\u001b[2Jc\u009b" });
      const line = requestLine(format, called({ target: `/\u001b]0;x\u0007\n${"y".repeat(16_000)}`, answer }), AT_MS);
      expect(line).not.toMatch(/\p{Cc}/u);
      expect(line.length).toBeLessThan(600);
    });

    test("a fault is one line as well", () => {
      expect(faultLine(format, faultText(new Error("it\nbroke")), AT_MS)).not.toContain("\n");
    });
  });
}

describe("errors with their cause, once", () => {
  test.each([
    [
      "what happened, then why",
      new Error("the write failed", { cause: new Error("disk full") }),
      "the write failed: disk full",
    ],
    ["not again where it says so itself", new Error("disk full!", { cause: new Error("disk full") }), "disk full!"],
    ["a cause that is no error", new Error("outer", { cause: "a word" }), "outer: a word"],
    ["a thrown word", "a word", "a word"],
    ["never a secret", new Error(`no ${apiSecret}`), "no [redacted]"],
  ])("%s", (_what, error, text) => {
    expect(faultText(error)).toBe(text);
  });

  test("one that causes itself", () => {
    const error = new Error("round");
    error.cause = error;
    expect(faultText(error)).toBe("round");
  });
});
