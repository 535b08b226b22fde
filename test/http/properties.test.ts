import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openScene, payment, type Scene } from "../support/scenario.ts";

/** Nothing that a client can send is answered with anything but JSON, a success and a message; nothing breaks behind it. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const REFUSED_PHONES = ["254700000500", "0700000500"];
const RUNS = { numRuns: 400 };

async function expectAnswer(request: Request, allowed = [200, 400, 401, 404, 405]): Promise<void> {
  const { method } = request;
  const response = await scene.harness.api(request);
  const text = await response.text();
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(allowed, `${method} ${request.url}: ${text}`).toContain(response.status);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(body.success).toBe(response.status === 200);
  expect(body.message).toBeString();
  if (response.status !== 200) expect(Object.keys(body)).toEqual(["success", "message"]);
  expect(scene.harness.faults).toEqual([]);
}

function post(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Request {
  return new Request(`http://localhost/v2${path}`, {
    method: "POST",
    headers: { ...scene.caller.headers, "Content-Type": "application/json", ...headers },
    body,
  });
}

const get = (target: string, headers: Record<string, string> = scene.caller.headers) =>
  new Request(`http://localhost${target}`, { headers });

const postPath = fc.constantFrom("/stkpush.php", "/status.php");
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));

describe("body of every answer: JSON, always with success and message, for every input", () => {
  test("any JSON for a body", () =>
    fc.assert(
      fc.asyncProperty(postPath, fc.json({ maxDepth: 5 }), (path, body) => expectAnswer(post(path, body))),
      RUNS,
    ));

  test("any bytes and any text for a body", () =>
    fc.assert(
      fc.asyncProperty(postPath, fc.oneof(fc.uint8Array(), text), (path, body) =>
        expectAnswer(post(path, typeof body === "string" ? body : new Uint8Array(body))),
      ),
      RUNS,
    ));

  test("an order with any value in any member; 500 only where the phone is the one that the network refuses", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            payment_account_id: fc.oneof(fc.constant(scene.caller.accountId), fc.integer(), fc.jsonValue()),
            phone: fc.oneof(
              fc.constant("0712345678"),
              fc.constantFrom(...REFUSED_PHONES),
              fc.stringMatching(/^(254|0)[0-9]{9}$/),
              fc.jsonValue(),
            ),
            amount: fc.oneof(fc.constant(100), fc.double(), fc.integer(), fc.jsonValue()),
            reference: fc.oneof(text, fc.jsonValue()),
            description: fc.oneof(text, fc.jsonValue()),
          },
          { requiredKeys: [] },
        ),
        (order) => {
          const body = JSON.stringify({ ...payment(scene.caller), ...order });
          const refused = typeof order.phone === "string" && REFUSED_PHONES.includes(order.phone);
          return expectAnswer(post("/stkpush.php", body), refused ? [200, 400, 500] : [200, 400]);
        },
      ),
      RUNS,
    ));

  test("every text that fits comes back by a search for its beginning", () =>
    fc.assert(
      fc.asyncProperty(
        text.filter((value) => value.isWellFormed() && value !== "" && [...value].length <= 100),
        async (reference) => {
          const { transaction_id } = await scene.start({ reference });
          const prefix = [...reference].slice(0, 3).join("");
          const query = `id=${transaction_id}&search=${encodeURIComponent(prefix)}`;
          const { body } = await scene.send({ path: `/transactions.php?${query}` });
          expect(body.transactions).toMatchObject([{ id: transaction_id }]);
        },
      ),
      { numRuns: 150 },
    ));

  test("any value in the headers that are read", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("X-API-Key", "X-API-Secret", "Content-Type", "X-Sandbox-Outcome", "Content-Length", "Host"),
        fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
        async (name, value) => {
          const body = JSON.stringify(payment(scene.caller));
          await expectAnswer(post("/stkpush.php", body, { [name]: value }));
          await expectAnswer(get("/v2/transactions.php", { ...scene.caller.headers, [name]: value }));
        },
      ),
      RUNS,
    ));

  const parameter = fc.constantFrom(
    "page",
    "limit",
    "type",
    "status",
    "date_from",
    "date_to",
    "search",
    "id",
    "__proto__",
  );
  const value = fc.oneof(
    text.filter((one) => one.isWellFormed()).map(encodeURIComponent),
    fc.integer().map(String),
    fc.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/),
    fc.stringMatching(/^(%[0-9a-fA-F]{2}|%|[0-9a-z+]){0,6}$/),
  );

  test("any query string", () =>
    fc.assert(
      fc.asyncProperty(text, (query) => expectAnswer(get(`/v2/transactions.php?${query}`))),
      RUNS,
    ));

  test("any values in the parameters that are read", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(parameter, value), { maxLength: 4 }), (pairs) =>
        expectAnswer(get(`/v2/transactions.php?${pairs.map((pair) => pair.join("=")).join("&")}`)),
      ),
      RUNS,
    ));

  test("any path and any method", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.webPath(),
          text.map((one) => `/${one}`),
          text.map((one) => `/v2/stkpush.php${one}`),
        ),
        fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"),
        fc.boolean(),
        (path, method, known) => {
          const headers = known ? scene.caller.headers : {};
          return expectAnswer(new Request(`http://localhost${path}`, { method, headers }));
        },
      ),
      RUNS,
    ));
});
