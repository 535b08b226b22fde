import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { CALLS } from "../../../sandbox/control/calls.ts";
import { schemaChecker } from "../../support/openapi.ts";
import { openScene, payment, type Scene } from "../../support/scene.ts";

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly requestBody?: { readonly content: { readonly "application/json": Content } };
  readonly responses: Record<string, { readonly content: Record<string, Content> }>;
}

interface Described {
  readonly servers: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: { readonly Failure: object } };
}

let sandbox: Scene;
let description: Described;
beforeAll(async () => {
  sandbox = await openScene();
  description = (await sandbox.call("GET", "/openapi.json")).body as unknown as Described;
});
afterAll(() => sandbox.close());

const described = () =>
  Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  );

function operationOf(call: string): Operation {
  const found = described().find((one) => one.call === call);
  if (!found) throw new Error(`${call} is not described`);
  return found.operation;
}

describe("GET /_momo/openapi.json describes the control API", () => {
  test("it is a valid description in OpenAPI 3.1, with the address that the caller used", async () => {
    expect(description).toMatchObject({ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:2547/_momo" }] });
    const result = await new Validator().validate(JSON.parse(JSON.stringify(description)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test("it has every operation except itself and HEAD", () => {
    const calls = Object.entries(CALLS).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== "HEAD" && path !== "/openapi.json")
        .map((method) => `${method} ${path.replace(/[A-Z_]+/, "{$&}").toLowerCase()}`),
    );
    expect(described().map(({ call }) => call)).toEqual(calls);
  });

  test("the example of each body fits its schema", () => {
    for (const { call, operation } of described()) {
      const content = operation.requestBody?.content["application/json"];
      if (content) expect(schemaChecker(content.schema)(content.example), call).toBeNull();
    }
  });

  test("the other content types are those of the answers", async () => {
    const typeOf = async (path: string) =>
      (await sandbox.request("GET", path)).headers.get("Content-Type")?.replace(/;.*$/, "");
    const typesOf = (path: string) => Object.keys(operationOf(`GET ${path}`).responses["200"]?.content ?? {}).sort();
    const formats = ["text", "json", "junit", "sarif", "github"].map((format) => typeOf(`/audit?format=${format}`));
    expect([...new Set(await Promise.all(formats))].sort()).toEqual(typesOf("/audit"));
    expect([await typeOf("/requests"), await typeOf("/requests?format=curl")]).toEqual(typesOf("/requests"));
    for (const path of ["/events", "/metrics"]) expect([await typeOf(path)]).toEqual(typesOf(path));
  });
});

interface Sent {
  /** Replaces the id in the path. */
  readonly id?: string;
  readonly query?: string;
  readonly json?: unknown;
  readonly status?: number;
}

describe("real answers, full, empty and refused, fit the description", () => {
  const answered = new Set<string>();

  /** @param call method and path, as they are described */
  async function send(call: string, { id = "", query = "", json, status = 200 }: Sent = {}) {
    const [method = "", path = ""] = call.split(" ");
    const address = path.replace(/\{.*\}/, id) + query;
    const answer = await sandbox.call(method, address, json === undefined ? {} : { json });
    const context = `${method} ${address} ${JSON.stringify(json)}: ${answer.text}`;
    expect(answer.status, context).toBe(status);
    const { requestBody, responses } = operationOf(call);
    const content = responses[String(status)]?.content["application/json"];
    const fits = schemaChecker(content?.schema ?? description.components.schemas.Failure);
    expect(fits(answer.body), context).toBeNull();
    expect(fits({ ...answer.body, more: 1 })).not.toBeNull();
    if (status !== 200) return answer.body;
    answered.add(call);
    if (json !== undefined) {
      expect(schemaChecker(requestBody?.content["application/json"].schema)(json), context).toBeNull();
    }
    return answer.body;
  }

  test("what a new sandbox has", async () => {
    const paths = ["/health", "/ready", "/outcomes", "/prompts", "/messages", "/server", "/audit", "/requests"];
    for (const path of [...paths, "/rules", "/default", "/faults", "/clock", "/webhook"]) await send(`GET ${path}`);
  });

  test("rules, default, faults and clock", async () => {
    const match = { phone: "0712345678", amount: 19.99, payment_account_id: 1, reference: "R" };
    const rule = { match, outcome: "completed", after: "3s", times: 2 };
    await send("POST /rules", { json: { rules: [{ outcome: "cancelled" }, rule] } });
    await send("POST /rules", { json: rule });
    await send("PUT /rules", { json: [{ outcome: "cancelled" }, rule] });
    await send("PUT /rules", { json: [{ outcome: "paid" }], status: 400 });
    await send("DELETE /rules");
    await send("PUT /default", { json: { outcome: "expired" } });
    await send("PUT /default", { json: { outcome: "silent" } });
    await send("PUT /default", { json: { outcome: "completed", after: "10s" } });
    const faults = [
      { path: "/status.php", kind: "delay", delay: "1s", times: 3 },
      { kind: "error", status: 503, probability: 0.5 },
      { path: "/transactions.php", kind: "disconnect" },
    ];
    await send("PUT /faults", { json: { faults, seed: 1 } });
    await send("PUT /faults", { json: { faults: [{ kind: "delay" }] }, status: 400 });
    await send("DELETE /faults");
    await send("POST /clock", { json: { freeze: true, advance: "5s" } });
    await send("POST /clock", { json: {}, status: 400 });
  });

  test("payments of each kind, their prompts, messages and stories, requests and findings", async () => {
    const paid = await sandbox.pay({ reference: "A", phone: "0712345678" }, { "X-Sandbox-Outcome": "completed" });
    const failed = await sandbox.pay({ reference: "B" }, { "X-Sandbox-Outcome": "insufficient_funds" });
    const byHand = await sandbox.pay({ reference: "C", description: "D" }, { "X-Sandbox-Outcome": "manual" });
    const open = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
    await sandbox.ask("POST", "/status.php", { json: { checkout_request_id: 5 } });
    await sandbox.ask("GET", "/transactions.php");
    await sandbox.advanceClock("5s");
    await send("GET /prompts", { query: "?phone=0712345678" });
    await send("GET /prompts", { query: "?phone=1", status: 400 });
    await send("POST /prompts/{id}/answer", { id: byHand, json: { pin: "1234" } });
    await send("POST /prompts/{id}/answer", { id: byHand, json: { pin: "1234" }, status: 409 });
    for (const id of [paid, failed, byHand, open]) {
      await sandbox.statusOf(id);
      await send("GET /transactions/{checkout_request_id}", { id });
    }
    await send("GET /transactions/{checkout_request_id}", { id: "nobody", status: 404 });
    await send("GET /transactions", { query: "?merchant_id=1&status=completed&search=a" });
    await send("GET /messages");
    await send("GET /requests", { query: "?limit=2" });
    await send("GET /requests", { query: "?limit=0", status: 400 });
    await send("POST /requests/{id}/replay", { id: "1", json: {} });
    await send("POST /requests/{id}/replay", { id: "none", json: {}, status: 404 });
    await send("GET /audit");
    await send("DELETE /audit");
    await send("POST /wait", { json: { checkout_request_id: paid } });
    await send("POST /wait", { json: { reference: "B", until: "failed", timeout: "1s" } });
    await send("POST /wait", { json: { reference: "B", until: "completed", timeout: "0s" }, status: 408 });
    const order = payment(sandbox.caller);
    await send("POST /payments", { json: { ...order, kind: "wallet_deposit", outcome: "cancelled" } });
    await send("POST /payments", { json: { ...order, kind: "cash" }, status: 400 });
  });

  test("merchants, accounts and keys", async () => {
    const { id: merchant_id } = await send("POST /merchants", { json: { name: "Third Shop" } });
    await send("POST /accounts", { json: { name: "Till", fee: "1%+10", merchant_id } });
    const { api_key } = await send("POST /keys", { json: { label: "test", merchant_id } });
    await send("DELETE /keys/{api_key}", { id: String(api_key) });
    await send("GET /merchants");
    await send("GET /accounts", { query: `?merchant_id=${merchant_id}` });
    await send("GET /keys", { query: `?merchant_id=${merchant_id}` });
  });

  test("the webhook, snapshots and a reset", async () => {
    const url = "http://127.0.0.1:1/";
    await send("PUT /webhook", { json: { url, times: 2, delay: "1h" } });
    await send("PUT /webhook", { json: { url: "ftp://shop" }, status: 400 });
    const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
    await sandbox.control("POST", `/prompts/${id}/answer`, { outcome: "cancelled" });
    await send("GET /webhook", { query: "?limit=1" });
    await send("POST /webhook/test");
    await send("POST /webhook/deliveries/{id}/resend", { id: "1" });
    await send("POST /webhook/deliveries/{id}/resend", { id: "99", status: 404 });
    await send("GET /transactions/{checkout_request_id}", { id });
    await send("DELETE /webhook");
    await send("PUT /snapshots/{name}", { id: "before" });
    await send("GET /snapshots");
    await send("POST /snapshots/{name}/restore", { id: "before", json: {} });
    await send("DELETE /snapshots/{name}", { id: "before" });
    await send("POST /reset", { json: {} });
  });

  test("only operations that do not answer in JSON are left out", () => {
    const missing = described().filter(({ call }) => !answered.has(call));
    expect(missing.map(({ call }) => call)).toEqual(["GET /metrics", "GET /events"]);
  });
});
