import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { writeTexts } from "../../../sandbox/control/paging.ts";
import { createTestPayments } from "../../../sandbox/control/test-payments.ts";
import type { Outcome } from "../../../src/domain/outcome.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import { respond, succeed } from "../../../src/http/reply.ts";
import { startServer } from "../../../src/http/server.ts";
import { durations, systemClock } from "../../../src/system.ts";
import { forAllTests, forEachTest } from "../../support/cleanup.ts";
import { HOST, openScene, useScene } from "../../support/scene.ts";
import { START_MS } from "../../support/service.ts";
import { inTime, nextTurn, rejectionOf, turnsOf } from "../../support/waiting.ts";
import { insertDue } from "./due.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_PAGE_BYTES = 1024 * 1024;

interface Page {
  readonly next: string | null;
  readonly requests: readonly Record<string, unknown>[];
}

const idsOf = ({ requests }: Page) => requests.map(({ id }) => id);
const queryOf = (next: string | null) => (next ?? "").slice("/_momo/requests".length);
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("no answer about requests is larger than a megabyte", () => {
  const sandbox = forAllTests(openScene);
  const POLLS = 60;
  let id: string;

  beforeAll(async () => {
    id = await sandbox.pay();
    // These grow most when they are written as JSON.
    const headers = { "X-Pad": '"'.repeat(12_000), "Content-Type": "application/json" };
    const poll = JSON.stringify({ checkout_request_id: id, pad: '"\\'.repeat(2000) });
    for (let count = 0; count < POLLS; count++) await sandbox.ask("POST", "/status.php", { body: poll, headers });
    const controls = "\u0001".repeat(64 * 1024);
    for (let count = 0; count < POLLS; count++) await sandbox.ask("POST", "/status.php", { body: controls, headers });
  });

  test("a page; and `next` leads to every request", async () => {
    const pages: Page[] = [];
    for (let query: string | null = ""; query !== null; ) {
      const answer = await sandbox.call("GET", `/requests${query}`);
      expect(answer.text.length).toBeLessThan(MAX_PAGE_BYTES + 10_000);
      const page = answer.body as unknown as Page;
      pages.unshift(page);
      query = page.next && queryOf(page.next);
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(idsOf)).toEqual(from(1, 2 * POLLS + 1));
  });

  test("the story of a payment: the start and the last polls, and how many are left out", async () => {
    const answer = await sandbox.call("GET", `/transactions/${id}`);
    expect(answer.text.length).toBeWithin(MAX_PAGE_BYTES / 2, MAX_PAGE_BYTES + 10_000);
    const story = answer.body as unknown as Page & { requests_left_out: number };
    const [first, ...polls] = idsOf(story);
    expect(first).toBe(1);
    expect(polls).toEqual(from(2 + story.requests_left_out, POLLS + 1));
  });

  test("curl lines: a request whose body is not kept whole is a comment of one line", async () => {
    await sandbox.ask("POST", "/stkpush.php", { json: { reference: `x\nrm -rf /tmp/nothing\n${"y ".repeat(4000)}` } });
    const text = await (await sandbox.request("GET", "/requests?format=curl")).text();
    expect(text.length).toBeLessThan(MAX_PAGE_BYTES);
    const lines = text.trimEnd().split("\n");
    expect(lines.at(-1)).toBe("# left out, because the log does not keep all of its body: POST /v2/stkpush.php");
    for (const line of lines) expect(line).toMatch(/^(?:# |curl )/);
  });

  test("curl lines: the header Link leads to the page before, in the same form", async () => {
    const linked = async (path: string) => (await sandbox.request("GET", path)).headers.get("Link");
    const lastId = idsOf((await sandbox.call("GET", "/requests?limit=1")).body as unknown as Page)[0];
    const next = `</_momo/requests?before=${lastId}&limit=1&format=curl>; rel="next"`;
    expect(await linked("/requests?format=curl&limit=1")).toBe(next);
    expect(await linked("/requests?format=curl&before=2")).toBeNull();
  });

  test("a long answer is shown as the text of its beginning, with how much is missing", async () => {
    for (let count = 0; count < 30; count++) await sandbox.pay();
    const { text } = await sandbox.ask("GET", "/transactions.php?limit=30");
    const call = (await sandbox.logged()).at(-1);
    expect(text).toStartWith(String(call?.answer));
    expect(Number(call?.answer_cut_bytes)).toBe(text.length - String(call?.answer).length);
  });
});

describe("a long list is written in many turns, so that other requests are served between them", () => {
  const many = Array.from({ length: 10_000 }, (_, id) => ({ id }));
  const textOf = ({ id }: { id: number }) => `${id}`;

  test("200 entries in each turn; a shorter list is written at once", async () => {
    expect(await turnsOf(writeTexts(many, systemClock, textOf))).toBeGreaterThanOrEqual(50);
    expect(await writeTexts(many, systemClock, textOf)).toEqual(many.map(textOf));
    expect(await turnsOf(writeTexts(many.slice(0, 199), systemClock, textOf))).toBe(0);
  });

  test("fewer large entries, and no more bytes than a page has, whatever the characters", async () => {
    expect(await writeTexts(many, systemClock, () => "é".repeat(MAX_PAGE_BYTES / 2), MAX_PAGE_BYTES)).toHaveLength(1);
    const tooLarge = "x".repeat(MAX_PAGE_BYTES + 1);
    expect(await writeTexts(many, systemClock, () => tooLarge, MAX_PAGE_BYTES)).toHaveLength(1);
    const large = "x".repeat(50 * 1024);
    expect(await turnsOf(writeTexts(many, systemClock, () => large, MAX_PAGE_BYTES))).toBeGreaterThanOrEqual(5);
  });
});

describe("a connection that is silent for 30 s is closed, but requests that may take longer are exempt", () => {
  const sandbox = forEachTest(openScene);

  /** Starts a payment, sends a request after this time, waits until it is exempt, and expects that the payment is still pending. */
  async function untilExempt(
    afterMs: number,
    method: string,
    path: string,
    json?: unknown,
  ): Promise<{ answered: Promise<Response> }> {
    const id = await sandbox.pay();
    sandbox.clock.advance(afterMs);
    const { promise: exempt, resolve } = Promise.withResolvers<unknown>();
    const headers = { Host: HOST, "Content-Type": "application/json", ...sandbox.caller.headers };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const request = new Request(`http://${HOST}${path}`, { method, headers, ...body });
    const answered = sandbox.handle(request, (kept) => {
      expect(kept).toBe(request);
      resolve(sandbox.store.transactions.findByCheckoutRequestId(id));
    });
    const found = inTime(Promise.race([exempt, answered]), () => `neither exempt nor answered: ${method} ${path}`);
    expect(await found).toMatchObject({ status: "pending" });
    return { answered };
  }

  test.each([
    ["a wait", "POST", "/_momo/wait", { reference: "never", timeout: "1h" }, 503, "the server stops"],
    ["a delay", "GET", "/v2/transactions.php", undefined, 503, "the operation was not carried out"],
    ["a stream of events", "GET", "/_momo/events", undefined, 200, ""],
  ])("%s is exempt, and ends with the server", async (_what, method, path, json, status, says) => {
    await sandbox.control("PUT", "/faults", { faults: [{ kind: "delay", path: "/transactions.php", delay: "1h" }] });
    const { alarm } = systemClock;
    const left = new Set<() => void>();
    const spied = spyOn(systemClock, "alarm").mockImplementation((atMs, ring) => {
      const cancel = alarm(atMs, ring);
      if (atMs > systemClock.nowMs() + 1_000_000) left.add(cancel);
      return () => {
        left.delete(cancel);
        cancel();
      };
    });
    const { answered } = await untilExempt(0, method, path, json);
    await nextTurn();
    spied.mockRestore();
    sandbox.endStreams();
    const response = await answered;
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(says);
    expect(left.size).toBe(0);
  });

  test.each([
    ["POST", "/_momo/clock", 0, { advance: "3s" }],
    ["GET", "/v2/transactions.php", 3000, undefined],
    ["GET", "/_momo/prompts", 3000, undefined],
  ])("%s %s is exempt while payments are due", async (method, path, afterMs, json) => {
    const { answered } = await untilExempt(afterMs, method, path, json);
    expect((await answered).status).toBe(200);
  });

  test.each([
    ["PUT", "/snapshots/one"],
    ["POST", "/snapshots/one/restore"],
    ["POST", "/webhook/test"],
  ])("%s %s is exempt", async (method, path) => {
    await sandbox.control("PUT", "/webhook", { url: "http://127.0.0.1:1/" });
    await sandbox.control("PUT", "/snapshots/one");
    const kept: Request[] = [];
    const request = new Request(`http://${HOST}/_momo${path}`, { method, headers: { Host: HOST } });
    expect((await sandbox.handle(request, (one) => void kept.push(one))).status).toBe(200);
    expect(kept).toEqual([request]);
  });

  test("the connection of an exempt request has no time-out", async () => {
    const serve = spyOn(Bun, "serve");
    const server = startServer({
      ...{ hostname: "127.0.0.1", port: 0, busyPaths: [], reportFault: () => {}, durations },
      handle: async (request, keepOpen) => {
        keepOpen?.(request);
        return respond(succeed("served", {}));
      },
    });
    const timeout = spyOn(serve.mock.results[0]?.value as Bun.Server<undefined>, "timeout");
    expect(serve.mock.calls[0]?.[0]).toMatchObject({ idleTimeout: 30 });
    serve.mockRestore();
    await fetch(`http://127.0.0.1:${server.port}/`);
    expect(timeout.mock.calls).toEqual([[expect.any(Request), 0]]);
    await server.stop(0);
  });
});

/** What is too long, too many or too old for a story. */

const sandbox = useScene();

test("the names of unknown members are cut; a very deep value is refused", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${"x".repeat(40)}${index}`, 1]));
  const message = await sandbox.refusal("PUT", "/default", { outcome: "completed", ...unknown });
  expect(message.length).toBeLessThan(2000);
  const outcome = JSON.parse("[".repeat(10_000) + "]".repeat(10_000));
  expect(await sandbox.refusal("PUT", "/default", { outcome })).toStartWith("outcome must be the name of an outcome; ");
});

test("at most 100 messages, those that were paid last, even if they started first", async () => {
  const messages = async () =>
    (await sandbox.control("GET", "/messages")).messages as { at_ms: number; checkout_request_id: string }[];
  const id = await sandbox.pay({ phone: "254700000100" });
  await insertDue(sandbox, 101);
  await sandbox.advanceClock("1s");
  const list = await messages();
  expect(list.map(({ at_ms }) => at_ms - START_MS)).toEqual(Array.from({ length: 100 }, (_, index) => 101 - index));
  await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "1234" });
  expect((await messages())[0]).toMatchObject({ checkout_request_id: id });
});

test("of more than 1,000 open prompts, those that are due next", async () => {
  await insertDue(sandbox, 1001);
  const { total, prompts } = await sandbox.control("GET", "/prompts");
  expect(total).toBe(1001);
  const [phone] = (prompts as { phone: string }[]).map((prompt) => prompt.phone);
  expect((await sandbox.control("GET", `/prompts?phone=${phone}`)).total).toBe(1001);
  const due = (prompts as { expires_at_ms: number }[]).map(({ expires_at_ms }) => expires_at_ms - START_MS - 60_000);
  expect(due).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
});

test("a story has a start whose answer was lost, and a poll whose id is after the part that the log keeps", async () => {
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "disconnect", path: "/stkpush.php", times: 1 }] });
  expect(await rejectionOf(sandbox.pay())).toBeUndefined();
  const [listed] = await sandbox.list();
  const id = String(listed?.checkout_request_id);
  const json = { padding: "x ".repeat(3000), checkout_request_id: id };
  await sandbox.ask("POST", "/status.php", { json });
  expect((await sandbox.control("GET", `/transactions/${id}`)).requests).toMatchObject([
    { status: null, answer: null, fault: "disconnect" },
    { answer: { status: "pending" } },
  ]);
});

test("a result code that momo does not know, as an imported payment can have, is explained by its own text", async () => {
  const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
  const { transactions } = sandbox.store;
  const [code, description] = [4999, "The SIM was swapped."];
  const failed = { status: "failed", resultCode: code, resultDesc: description, atMs: START_MS } as unknown as Outcome;
  await transactions.record((await transactions.listPending(1)).map((pending) => resolve(pending, failed)));
  const { result } = await sandbox.control("GET", `/transactions/${id}`);
  expect(result).toEqual({ code, description, meaning: description, advice: "Read the network's own text." });
});

test("a list that its client no longer waits for is given up", async () => {
  const [gone, list] = [new AbortController(), spyOn(sandbox.service, "listTransactions")];
  // With a status, the counts of all statuses are a second query.
  await sandbox.call("GET", "/transactions?status=pending", { signal: gone.signal });
  gone.abort();
  expect(list.mock.calls.map(([, , , signal]) => signal?.aborted)).toEqual([true, true]);
  list.mockRestore();
});

test("the starters of the last 1,000 test payments are known", () => {
  const started = createTestPayments();
  for (let number = 0; number < 1000; number += 1) started.note(`ws_CO_${number}`, "console");
  expect(started.starterOf("ws_CO_0")).toBe("console");
  started.note("ws_CO_1000", "control_api");
  expect([started.starterOf("ws_CO_0"), started.starterOf("ws_CO_1000")]).toEqual([null, "control_api"]);
});
