import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Refusal, type RefusalKind } from "../../src/domain/error.ts";
import { failWith } from "../../src/http/reply.ts";
import { forAllTests } from "../support/cleanup.ts";
import { Recording, withoutLists } from "../support/recording.ts";
import { expectSoundAnswer, HOST, openScene, payment, type RequestSpec } from "../support/scene.ts";

/** How a request is read. The words of each refusal are in refusals.txt. */

const GOOD_TYPES = ["Application/JSON", "application/json;charset=UTF-8", 'application/json ; charset="utf-8"'];
const BAD_TYPES = [
  "",
  "text/json",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "application/json, text/plain",
  "application/json; charset=utf-16",
  "application/ld+json",
];

const scene = forAllTests(openScene);

test.each([...GOOD_TYPES, ...BAD_TYPES, undefined])("POST requests carry application/json: %p", async (type) => {
  const body = Buffer.from(JSON.stringify(payment(scene.caller)));
  const answer = await scene.send({ path: "/stkpush.php", headers: { "Content-Type": type }, body });
  expectSoundAnswer(answer);
  const isGood = type !== undefined && GOOD_TYPES.includes(type);
  const came = type === undefined ? "there is none" : `it is "${type}"`;
  const refusal = { status: 400, body: { message: `Content-Type must be application/json; ${came}` } };
  expect(answer).toMatchObject(isGood ? { status: 200 } : refusal);
});

test("unknown members are ignored, also those of other operations, of the list and of every object", async () => {
  const { transaction_id } = await scene.start({ kind: "web", status: "completed", Amount: 0, page: [{}] });
  const { body } = await scene.send({ path: `/transactions.php?id=${transaction_id}` });
  expect(body.transactions).toMatchObject([{ kind: "api", status: "pending", amount: 100 }]);
  const more = `{"__proto__":{"amount":1},"constructor":1,"toString":1,${JSON.stringify(payment(scene.caller)).slice(1)}`;
  await scene.start({}, { body: more });
  expect(({} as { amount?: unknown }).amount).toBeUndefined();
});

describe("a body of 64 KB is read, and one byte more is refused", () => {
  const TOO_LARGE = { status: 400, body: { message: "the body is larger than 65536 bytes" } };

  function orderOf(size: number): string {
    const order = JSON.stringify({ ...payment(scene.caller), note: "" });
    return order.replace('"note":""', () => `"note":"${"x".repeat(size - order.length)}"`);
  }
  const WAYS: [way: string, body: (text: string) => Pick<RequestSpec, "body" | "headers">][] = [
    ["with Content-Length", (body) => ({ body, headers: { "Content-Length": `${body.length}` } })],
    ["in chunks", (body) => ({ body: new Blob([body]).stream() })],
  ];
  test.each(WAYS)("%s", async (_way, bodyOf) => {
    const send = (size: number) => scene.send({ path: "/stkpush.php", ...bodyOf(orderOf(size)) });
    expect((await send(65_536)).status).toBe(200);
    expect(await send(65_537)).toMatchObject(TOO_LARGE);
  });

  test("the declared size counts before any byte is read", async () => {
    const body = new ReadableStream({ pull: () => Promise.reject(new Error("the body was read")) });
    const headers = { "Content-Length": "65537" };
    expect(await scene.send({ path: "/stkpush.php", body, headers })).toMatchObject(TOO_LARGE);
  });
});

const STATUSES: Record<RefusalKind, number> = {
  invalid: 400,
  account: 400,
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  provider: 500,
  stopping: 503,
  unavailable: 503,
};

test.each(Object.entries(STATUSES))(
  "a refusal of the kind %s is HTTP %d with its message, and is no fault",
  (kind, status) => {
    const faults: unknown[] = [];
    const answer = failWith(new Refusal(kind as RefusalKind, "why"), (error) => faults.push(error));
    expect({ ...answer, text: JSON.parse(answer.text), faults }).toMatchObject({
      ...{ status, text: { success: false, message: "why" }, faults: [] },
    });
    expect(answer.headers.get("Retry-After")).toBe(status === 503 ? "1" : null);
  },
);

describe("/v2 and /api/v2 answer alike", () => {
  async function send(target: string, init: RequestInit = {}) {
    const headers = { "Content-Type": "application/json", ...scene.caller.headers, ...init.headers };
    const response = await scene.handle(new Request(`http://${HOST}${target}`, { ...init, headers }));
    return { status: response.status, allow: response.headers.get("Allow"), text: await response.text() };
  }
  const post = (json: object) => ({ method: "POST", body: JSON.stringify(json) });

  test("a payment that starts at one is known at the other; the log shows the requested path", async () => {
    const before = (await scene.logged()).length;
    const { text } = await send("/api/v2/stkpush.php", post(payment(scene.caller)));
    const { transaction_id, checkout_request_id } = JSON.parse(text) as Record<string, unknown>;
    const calls: [path: string, status: number, init?: RequestInit][] = [
      ["/status.php", 200, post({ checkout_request_id })],
      [`/transactions.php?id=${transaction_id}`, 200],
      ["/stkpush.php", 400, post({})],
      ["/stkpush.php", 401, { method: "POST", headers: { "X-API-Secret": "ms_no" } }],
      ["/status.php", 405, { method: "DELETE" }],
      ["/nothing.php", 404],
    ];
    for (const [path, status, init] of calls) {
      const answer = await send(`/v2${path}`, init);
      expect(answer.status).toBe(status);
      expect(await send(`/api/v2${path}`, init)).toEqual(answer);
    }
    const targets = (await scene.logged()).map(({ target }) => target).slice(before);
    expect(targets.slice(0, 3)).toEqual(["/api/v2/stkpush.php", "/v2/status.php", "/api/v2/status.php"]);
  });
});

test("each of three base paths is served, and named where nothing is", async () => {
  const scene = await openScene({ basePaths: ["/v2", "/v2/pay", ""] });
  for (const path of ["", "/pay"]) expect((await scene.send({ path: `${path}/transactions.php` })).status).toBe(200);
  const { body } = await scene.send({ path: "/nothing" });
  expect(body.message).toEndWith("GET /v2/transactions.php, and the same below /v2/pay, and the same below /");
  await scene.close();
});

/**
 * What the merchant API refuses, and in which words: each rule at its edge, a line of the table for each. After `=>` stand the status
 * and the message. MOMO_TEST_RECORD=1 writes them again: read them. `<x * 101>` is 101 times x; of two equal members the last counts.
 */

const recording = new Recording(join(import.meta.dir, "refusals.txt"), "\n");
const untouched = forAllTests(openScene);
const ORDER = '{"payment_account_id":1,"phone":"0712345678","amount":1';

const bytesOf = (hex: string) => Buffer.from(hex, "hex");

async function answerTo(line: string): Promise<string> {
  const [, what = "", sent = ""] = /^(\w+) ?(.*)$/.exec(line) ?? [];
  const text = sent.replaceAll(/<(\S+) \* (\d+)>/g, (_, part: string, times: string) => part.repeat(Number(times)));
  const push = { path: "/stkpush.php" };
  const specs: Record<string, () => Parameters<typeof untouched.send>[0]> = {
    order: () => ({ ...push, body: `${ORDER},${text}}` }),
    outcome: () => ({ ...push, body: `${ORDER}}`, headers: { "X-Sandbox-Outcome": text } }),
    body: () => ({ ...push, body: text }),
    /** A body of bytes, which are not UTF-8. */
    bytes: () => ({ ...push, body: bytesOf(text) }),
    encoded: () => ({ ...push, body: bytesOf(text.slice(-4)), headers: { "Content-Encoding": text.slice(0, -5) } }),
    status: () => ({ path: "/status.php", body: text }),
    list: () => ({ path: `/transactions.php?${text}` }),
    path: () => ({ path: text }),
    only: () => ({ path: "/transactions.php", as: "anonymous", headers: { [text]: untouched.caller.headers[text] } }),
    wrong: () => ({ path: "/transactions.php", headers: { [text]: untouched.other.headers[text] } }),
    anonymous: () => ({ ...push, as: "anonymous", body: text }),
  };
  const answer = await untouched.send(
    specs[what]?.() ?? { path: "/stkpush.php", method: what, ...(text && { body: text }) },
  );
  expectSoundAnswer(answer);
  const allowed = answer.headers.get("Allow");
  return `${answer.status} ${allowed ? `${allowed} ` : ""}${answer.body.message}`;
}

test("each refusal has its status and its words, and starts no payment", async () => {
  const told: string[] = [];
  for (const line of recording.texts) {
    const [request = ""] = line.split(" =>");
    told.push(withoutLists(`${request} => ${await answerTo(request)}`));
  }
  recording.compareAll(told);
  expect(told.filter((line) => line.includes("=> 200"))).toEqual([]);
  expect((await untouched.list()).length).toBe(0);
});
