import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HOST } from "../../support/control.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

/** Every call of the control API, with a body that it would take. */
const CALLS: [method: string, path: string, body?: object][] = [
  ["GET", "/health"],
  ["HEAD", "/health"],
  ["GET", "/outcomes"],
  ["GET", "/prompts"],
  ["POST", "/prompts/ID/answer", { outcome: "cancelled" }],
  ["GET", "/messages"],
  ["GET", "/rules"],
  ["POST", "/rules", [{ outcome: "cancelled" }]],
  ["PUT", "/rules", []],
  ["DELETE", "/rules"],
  ["GET", "/default"],
  ["PUT", "/default", { outcome: "cancelled" }],
  ["GET", "/clock"],
  ["POST", "/clock", { advance: "1h" }],
  ["POST", "/wait", { reference: "R", timeout: "0s" }],
  ["GET", "/faults"],
  ["PUT", "/faults", { faults: [] }],
  ["DELETE", "/faults"],
  ["GET", "/webhook"],
  ["PUT", "/webhook", { url: "http://127.0.0.1:1/" }],
  ["DELETE", "/webhook"],
  ["POST", "/webhook/deliveries/ID/resend"],
  ["GET", "/requests"],
  ["GET", "/requests?format=curl"],
  ["POST", "/requests/ID/replay"],
  ["GET", "/audit"],
  ["DELETE", "/audit"],
  ["GET", "/events"],
  ["GET", "/transactions"],
  ["GET", "/transactions/CHECKOUT_REQUEST_ID"],
  ["POST", "/payments", { kind: "web", phone: "0712345678", amount: 5, payment_account_id: 1 }],
  ["GET", "/merchants"],
  ["GET", "/accounts"],
  ["GET", "/keys"],
  ["DELETE", "/keys/API_KEY"],
  ["GET", "/server"],
  ["POST", "/merchants", { name: "Evil" }],
  ["POST", "/accounts", { name: "Evil" }],
  ["POST", "/keys", { label: "evil" }],
  ["GET", "/snapshots"],
  ["PUT", "/snapshots/NAME", {}],
  ["DELETE", "/snapshots/NAME"],
  ["POST", "/snapshots/NAME/restore", {}],
  ["POST", "/reset", {}],
  ["GET", "/openapi.json"],
];

let sandbox: Steered;
let prompt: string;
let before: string;
beforeAll(async () => {
  sandbox = await openSteered();
  prompt = await sandbox.pay({ phone: "254700000100" });
  await sandbox.control("POST", "/rules", { outcome: "wrong_pin", times: 3 });
  await sandbox.control("PUT", "/faults", { seed: 3, faults: [{ kind: "error", path: "/status.php" }] });
  before = await stateOf();
});
afterAll(() => sandbox.close());

async function stateOf(): Promise<string> {
  const parts = ["/prompts", "/rules", "/default", "/clock", "/faults", "/webhook", "/snapshots"].map((path) =>
    sandbox.control("GET", path),
  );
  const { registry } = sandbox.harness.service;
  return JSON.stringify([
    await Promise.all(parts),
    await registry.listMerchants(),
    await registry.listAccounts(1),
    await registry.listKeys(1),
  ]);
}

const send = (method: string, path: string, headers: Record<string, string>, body?: string | URLSearchParams) =>
  sandbox.handle(
    new Request(`http://${HOST}/_momo${path.replace("ID", prompt)}`, { method, headers, ...(body && { body }) }),
  );

test("the table has every path and method", async () => {
  const { body } = await sandbox.call("GET", "/nothing");
  const paths = String(body.message)
    .match(/\/_momo\/[^,]+/g)
    ?.map((path) => path.slice("/_momo".length));
  const known = CALLS.map(([method, path]) => `${method} ${path.replace(/\?.*/, "")}`);
  const all = await Promise.all(
    (paths ?? []).map(async (path) => {
      const refused = await send("PATCH", path, { Host: HOST });
      return (refused.headers.get("Allow") ?? "").split(", ").map((method) => `${method} ${path}`);
    }),
  );
  expect(new Set(known)).toEqual(new Set(all.flat()));
});

describe("every control call is behind the guard", () => {
  const FOREIGN: [name: string, headers: Record<string, string>][] = [
    ["a name that somebody made to lead here", { Host: "evil.example:2547" }],
    ["that name as its own origin", { Host: "evil.example:2547", Origin: "http://evil.example:2547" }],
    ["a page of another origin", { Host: HOST, Origin: "http://evil.example" }],
    ["a page of another port", { Host: HOST, Origin: "http://127.0.0.1:3000" }],
    ["a sandboxed frame", { Host: HOST, Origin: "null" }],
    ["a browser that says cross-site", { Host: HOST, "Sec-Fetch-Site": "cross-site" }],
    ["a browser that says same-site", { Host: HOST, "Sec-Fetch-Site": "same-site" }],
  ];
  for (const [method, path, body] of CALLS) {
    test(`${method} ${path}`, async () => {
      const content = body && JSON.stringify(body);
      for (const [name, headers] of FOREIGN) {
        const response = await send(method, path, { "Content-Type": "application/json", ...headers }, content);
        expect(response.status, name).toBe(403);
        const text = await response.text();
        expectSoundAnswer({ status: 403, headers: response.headers, text, body: JSON.parse(text) });
      }
      expect(await stateOf()).toBe(before);
    });
  }

  for (const [method, path] of CALLS.filter(([, , body]) => body)) {
    test(`a form that posts to ${method} ${path} is refused too`, async () => {
      const fields = new URLSearchParams({ outcome: "cancelled", kind: "web", name: "x", advance: "1h" });
      const text = { "Content-Type": "text/plain" };
      const forms: [Record<string, string>, string | URLSearchParams][] = [
        [{}, fields],
        [text, JSON.stringify(payment(sandbox.caller))],
      ];
      for (const [type, form] of forms) {
        const response = await send(method, path, { Host: HOST, ...type }, form);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          message: expect.stringContaining("Content-Type must be application/json; it is "),
        });
      }
      expect(await stateOf()).toBe(before);
    });
  }
});
