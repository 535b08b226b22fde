import { describe, expect, test } from "bun:test";
import { faultText } from "../../cli/terminal/output.ts";
import { messageLine, requestLine } from "../../cli/terminal/server-log.ts";
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

describe("one line: time, duration, method, path, status, and the outcome if there is one", () => {
  const COMPLETED = JSON.stringify({ success: true, message: "", status: "completed", checkout_request_id: "ws_CO_1" });
  const SWALLOWED = { status: null, answer: null, fault: "disconnect" } as const;
  const LINES: [what: string, request: Partial<LoggedRequest>, members: object][] = [
    ["a payment that starts", {}, { status: 200, checkout_request_id: "ws_CO_1" }],
    [
      "a status",
      { answer: COMPLETED },
      { status: 200, transaction_status: "completed", checkout_request_id: "ws_CO_1" },
    ],
    [
      "a refusal, with its reason",
      { status: 400, answer: JSON.stringify({ success: false, message: "amount is missing" }) },
      { status: 400, message: "amount is missing" },
    ],
    ["an answer that a fault has dropped", SWALLOWED, { status: null, fault: "disconnect" }],
    [
      "a long list, which is not read for an outcome",
      { answer: JSON.stringify({ success: true, message: "", status: "x", transactions: "x".repeat(2000) }) },
      { status: 200 },
    ],
  ];
  test.each(LINES)("in JSON: %s", (_what, request, members) => {
    const always = { time: "2026-11-20T07:00:00.000Z", level: "info", method: "POST", path: "/v2/stkpush.php" };
    const line = JSON.parse(requestLine("json", called(request), AT_MS)) as object;
    expect(line).toEqual({ ...always, duration_ms: 1.235, ...members });
  });

  test("for a person: the time in Nairobi, and the same in words", () => {
    expect(requestLine("pretty", called({ answer: COMPLETED }), AT_MS)).toBe(
      "10:00:00  200  POST  /v2/stkpush.php  1.2 ms  completed  ws_CO_1",
    );
    expect(requestLine("pretty", called(SWALLOWED), AT_MS)).toBe(
      "10:00:00  ---  POST  /v2/stkpush.php  1.2 ms  (fault: disconnect)",
    );
  });
});

describe.each(["json", "pretty"] as const)("%s: what a client sends cannot harm the log", (format) => {
  test.each([apiSecret, apiSecret.replace("_", "%5F"), apiSecret.replace("ms_", "%6d%73%5f")])(
    "a secret is nowhere, also written as %s; no query, header or body is",
    (secret) => {
      const answer = JSON.stringify({ success: false, message: `no ${secret}` });
      const target = `/v2/${secret}?search=0712345678&api_secret=${secret}`;
      const line = requestLine(format, called({ target, status: 400, answer }), AT_MS);
      expect(line).toContain("/v2/[redacted]");
      expect(line).not.toContain(apiSecret.slice(3));
      expect(line).not.toContain("0712345678");
    },
  );

  test("one line of bounded length, without characters that a terminal obeys; a fault is one line, too", () => {
    const answer = JSON.stringify({ success: false, message: "a\nb\u001b[2Jc\u009b" });
    const target = `/\u001b]0;x\u0007\n${"y".repeat(16_000)}`;
    const line = requestLine(format, called({ target, answer }), AT_MS);
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line.length).toBeLessThan(600);
    expect(messageLine(format, "it\nbroke", AT_MS, "error")).not.toContain("\n");
  });
});

describe("an error with its causes, each once", () => {
  const round = new Error("round");
  round.cause = round;
  const because = (message: string, cause: unknown) => new Error(message, { cause });
  test.each([
    ["a cause", because("the write failed", new Error("disk full")), "the write failed: disk full"],
    ["a cause that the message repeats", because("disk full!", new Error("disk full")), "disk full!"],
    ["a cause that is no error", because("outer", "a word"), "outer: a word"],
    ["an error that causes itself", round, "round"],
    ["a thrown word", "a word", "a word"],
    ["a secret", new Error(`no ${apiSecret}`), "no [redacted]"],
  ])("%s", (_what, error, text) => {
    expect(faultText(error)).toBe(text);
  });
});
