import { describe, expect, jest, test } from "bun:test";
import { Failure } from "../../cli/terminal/failure.ts";
import type { LogFormat } from "../../cli/terminal/options.ts";
import { commandLines, faultText, lineOf, wrapped } from "../../cli/terminal/output.ts";
import { ageText, statusPiece } from "../../cli/terminal/payment-lines.ts";
import {
  createLineWriter,
  createRequestOutput,
  type LogForm,
  messageLine,
  requestLine,
} from "../../cli/terminal/server-log.ts";
import { wrongValue } from "../../cli/terminal/usage.ts";
import type { AnsweredRequest } from "../../sandbox/request-log.ts";
import { createCredentials } from "../../src/domain/credentials.ts";
import type { Delivery } from "../../src/domain/delivery.ts";
import { answeredRequest } from "../support/answered.ts";
import { TestIo } from "../support/io.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { seededRandom } from "../support/random.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_WAITING_LINES = 10_000;

const DAY_MS = 86_400_000;

const inForm = (format: LogFormat): LogForm => ({ format, line: (pieces) => lineOf(pieces, () => false) });

test.each([
  [0, "now"],
  [999, "now"],
  [59_999, "59s"],
  [60_000, "1m"],
  [DAY_MS - 1, "23h"],
  [30 * DAY_MS, "30d"],
  [30 * DAY_MS + 1, "2026-11-20"],
])("%d ms after it, a time is shown as %s", (sinceMs, text) => {
  expect(ageText("2026-11-20 10:00:00", Date.UTC(2026, 10, 20, 7) + sinceMs)).toBe(text);
});

test("each status has its sign and its colour", () => {
  const statuses = ["completed", "pending", "failed", "cancelled", "expired", "lost"];
  expect(statuses.map(statusPiece).map(({ style, text }) => `${style} ${text}`)).toEqual([
    ...["green ✓ completed", "yellow • pending", "red ✗ failed", "red ✗ cancelled", "red ✗ expired", "red ? lost"],
  ]);
});

test("no part of a secret is left where a long value is cut", () => {
  const text = wrongValue("--reference", "must be short", `${"a".repeat(60)}-ms_${"b1".repeat(20)}`);
  expect(text).toBe(`--reference must be short; it is "${"a".repeat(60)}-[redacted]"`);
});

test.each([
  ["aaa bbb ccc", 7, ["aaa bbb", "ccc"]],
  ["aaa bbb ccc", 6, ["aaa", "bbb", "ccc"]],
  ["  aa bb cc", 7, ["  aa bb", "  cc"]],
  ["茶 茶 茶", 5, ["茶 茶", "茶"]], // each is two columns wide
])("%j in %d columns", (line, width, lines) => {
  expect(wrapped(line, width)).toEqual(lines);
});

test("a command that is broken into lines can be pasted; a quoted word is never broken", () => {
  expect(commandLines("momo status 12 --wait", 19)).toEqual(["  momo status 12 \\", "  --wait"]);
  expect(commandLines("momo list --data '/a b/c d'", 19)).toEqual(["  momo list --data '/a b/c d'"]);
});

/** A writer whose reader accepts a text only when the test says so. */
function openWriter() {
  const clock = createManualClock(0);
  const written: string[] = [];
  let taken = () => {};
  const sink = (text: string, done: () => void) => {
    written.push(text);
    taken = done;
  };
  const writer = createLineWriter(clock, sink, (lost) => `lost ${lost}`);
  return { ...writer, clock, written, take: () => taken() };
}

test("lines are written together; while one write is in flight, the next lines wait", () => {
  const { write, clock, written, take } = openWriter();
  write("a");
  write("b");
  expect(written).toEqual([]);
  clock.advance(10);
  expect(written).toEqual(["a\nb\n"]);
  write("c");
  clock.advance(1000);
  expect(written).toHaveLength(1);
  take();
  clock.advance(10);
  expect(written).toEqual(["a\nb\n", "c\n"]);
  take();
  expect(clock.alarmsAtMs).toEqual([]); // an idle writer sets no alarm
});

test("for a reader that does not read, 10,000 lines are kept, and the others are counted", () => {
  const { write, clock, written, take } = openWriter();
  write("first");
  clock.advance(10);
  for (let count = 0; count < MAX_WAITING_LINES + 5; count++) write(`line ${count}`);
  take();
  clock.advance(10);
  const lines = written[1]?.trimEnd().split("\n") ?? [];
  expect(lines).toHaveLength(10_001);
  expect(lines.slice(-2)).toEqual(["line 9999", "lost 5"]);
  take();
  write("next");
  clock.advance(10);
  expect(written[2]).toBe("next\n");
});

test("end() writes the waiting lines at once, and resolves when they are written", async () => {
  const { write, end, clock, written, take } = openWriter();
  write("a");
  clock.advance(10);
  write("b");
  let hasEnded = false;
  const ended = end().then(() => {
    hasEnded = true;
  });
  take();
  expect(written).toEqual(["a\n", "b\n"]);
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  take();
  await ended;
});

test("end() of an idle writer resolves at once", async () => {
  await openWriter().end();
});

const AT_MS = Date.UTC(2026, 10, 20, 7, 0, 0);
const { apiSecret } = createCredentials(seededRandom(7));
const SENT = { success: true, message: "sent", checkout_request_id: "ws_CO_1" };

const called = (changes: Partial<AnsweredRequest>) =>
  answeredRequest({
    durationMs: 1.23456,
    headers: new Headers({ "X-API-Secret": apiSecret }),
    answer: JSON.stringify(SENT),
    body: `{"phone":"0712345678","secret":"${apiSecret}"}`,
    ...changes,
  });

describe("one line for a request; serve-prints.test.ts has those in JSON", () => {
  const COMPLETED = { success: true, message: "", status: "completed", checkout_request_id: "ws_CO_1" };
  const CORRECTED = [{ member: "amount" }] as unknown as AnsweredRequest["leniencies"];
  const LINES: [what: string, request: Partial<AnsweredRequest>, end: string][] = [
    ["the outcome", { answer: JSON.stringify(COMPLETED) }, "200  POST  /v2/stkpush.php  1.2 ms  completed  ws_CO_1"],
    [
      "an answer that a fault has dropped",
      { status: null, answer: null, fault: "disconnect" },
      "---  POST  /v2/stkpush.php  1.2 ms  (fault: disconnect)",
    ],
    [
      "an answer whose client was gone",
      { isDelivered: false },
      "200  POST  /v2/stkpush.php  1.2 ms  ws_CO_1  (not delivered)",
    ],
    [
      "a member that was corrected",
      { leniencies: CORRECTED },
      "200  POST  /v2/stkpush.php  1.2 ms  ws_CO_1  (lenient: amount)",
    ],
    [
      "a fault whose answer is no JSON",
      { status: 502, answer: "<html>bad</html>", fault: "error" },
      "502  POST  /v2/stkpush.php  1.2 ms  (fault: error)",
    ],
  ];
  test.each(LINES)("with the time in Nairobi: %s", (_what, request, end) => {
    expect(requestLine(inForm("pretty"), called(request), AT_MS)).toBe(`10:00:00  ${end}`);
  });
});

test("the log in JSON has the duration in milliseconds", () => {
  expect(JSON.parse(requestLine(inForm("json"), called({}), AT_MS)).duration_ms).toBe(1.235);
});

test("the log in JSON says which answers were not delivered", () => {
  const delivered = (request: Partial<AnsweredRequest>) =>
    JSON.parse(requestLine(inForm("json"), called(request), AT_MS)).delivered;
  expect([delivered({}), delivered({ isDelivered: false })]).toEqual([undefined, false]);
});

test.each([
  [404, null],
  [403, "error"],
] as const)("each second has five requests refused with %d, by the fault %p, and then their count", (status, fault) => {
  const io = new TestIo();
  jest.useFakeTimers();
  try {
    const { onRefused } = createRequestOutput(io, "json");
    for (const refused of [3, 7, 3]) {
      for (let request = 0; request < refused; request += 1) onRefused(called({ status, fault }));
      for (let step = 0; step < 120; step += 1) jest.advanceTimersByTime(10);
    }
  } finally {
    jest.useRealTimers();
  }
  const lines: AnsweredRequest["said"][] = JSON.parse(`[${io.told.trimEnd().replaceAll("\n", ",")}]`);
  const shown = lines.map((line) => line.status ?? line.message);
  const counted = `more requests were refused in the same second: 2 with ${status}`;
  expect(shown).toEqual([...Array(8).fill(status), counted, ...Array(3).fill(status)]);
});

test.each([
  [1000, "to be tried again"],
  [null, "failed"],
])("a webhook that was not taken, with the next attempt at %p: %s", async (dueAtMs, says) => {
  const io = new TestIo();
  const { onDelivery, end } = createRequestOutput(io, "pretty");
  const attempts = [{ atMs: 0, durationMs: 5, status: 500, answer: null, problem: "only 2xx counts" }];
  onDelivery({ id: 7, payment: { checkoutRequestId: "ws_CO_1" }, attempts, dueAtMs } as unknown as Delivery);
  await end();
  expect(io.told).toEndWith(`  500  webhook 7  ${says}  5 ms  ws_CO_1  only 2xx counts\n`);
});

describe.each(["json", "pretty"] as const)("%s: what a client sends cannot harm the log", (format) => {
  test.each([apiSecret, apiSecret.replace("_", "%5F"), apiSecret.replace("ms_", "%6d%73%5f")])(
    "a secret is nowhere, also written as %s; no query, header or body is",
    (secret) => {
      const answer = JSON.stringify({ success: false, message: `no ${secret}` });
      const target = `/v2/${secret}?search=0712345678&api_secret=${secret}`;
      const line = requestLine(inForm(format), called({ target, status: 400, answer }), AT_MS);
      expect(line).toContain("/v2/[redacted]");
      expect(line).not.toContain(apiSecret.slice(3));
      expect(line).not.toContain("0712345678");
    },
  );

  test("one line of bounded length, without characters that a terminal obeys; a fault is one line, too", () => {
    const answer = JSON.stringify({ success: false, message: "a\nb\u001b[2Jc\u009b" });
    const target = `/\u001b]0;x\u0007\n${"y".repeat(16_000)}`;
    const line = requestLine(inForm(format), called({ target, answer }), AT_MS);
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line.length).toBeLessThan(600);
    expect(messageLine(inForm(format), "it\nbroke", AT_MS, "error")).not.toContain("\n");
  });
});

describe("an error with its causes, each once", () => {
  const round = new Error("round");
  round.cause = new Error("about", { cause: round });
  const because = (message: string, cause: unknown) => new Error(message, { cause });
  test.each([
    ["a cause", because("the write failed", new Error("disk full")), "the write failed: disk full"],
    ["a cause that is no error", because("outer", "a word"), "outer: a word"],
    ["errors that cause each other", round, "round: about"],
    ["a thrown word", "a word", "a word"],
    ["a secret", new Error(`no ${apiSecret}`), "no [redacted]"],
  ])("%s", (_what, error, text) => {
    expect(faultText(error)).toBe(text);
  });
});

test.each([true, false])("no secret is shown in a failure or in its hint; as JSON: %p", (json) => {
  const io = new TestIo();
  io.tellFailure(new Failure("usage", `no ${apiSecret}`, `give another than ${apiSecret}`), json);
  expect(io.told).toMatch(/no \[redacted\][\s\S]*another than \[redacted\]/);
});

test("an error of the server begins with its name; a message about the log has the time, as requests have", () => {
  expect(messageLine(inForm("pretty"), "the disk is full", AT_MS, "error")).toBe("momo: the disk is full");
  expect(messageLine(inForm("pretty"), "3 lines are missing", AT_MS, "info")).toBe("10:00:00  3 lines are missing");
  for (const level of ["error", "info"] as const) {
    expect(JSON.parse(messageLine(inForm("json"), "full", AT_MS, level))).toMatchObject({
      level,
      message: "full",
    });
  }
});
