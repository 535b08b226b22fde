import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { createSchemaChecker } from "../../support/json-schema.ts";
import { openSteered, type Steered } from "../../support/steered.ts";

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: { readonly "application/json": Content } };
  readonly responses: Record<string, { readonly content: Record<string, Content> }>;
}

interface Described {
  readonly servers: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: { readonly Failure: object } };
}

const checkerOf = await createSchemaChecker();
let sandbox: Steered;
let description: Described;
beforeAll(async () => {
  sandbox = await openSteered();
  description = (await sandbox.call("GET", "/openapi.json")).body as unknown as Described;
});
afterAll(() => sandbox.close());

const operationOf = (method: string, path: string): Operation => {
  const operation = description.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
};
const jsonOf = (operation: Operation, status: string) => operation.responses[status]?.content["application/json"];

describe("GET /_momo/openapi.json describes the control API", () => {
  test("it is a valid description in OpenAPI 3.1, at the address that the caller has used", async () => {
    expect(description).toMatchObject({ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:2547/_momo" }] });
    const result = await new Validator().validate(JSON.parse(JSON.stringify(description)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test("every path that the 404 names is described, with the methods that the 405 names", async () => {
    const { body } = await sandbox.call("GET", "/nothing");
    const paths = String(body.message)
      .split(" has ")[1]
      ?.split(", ")
      .map((path) => path.replace("/_momo", ""))
      .filter((path) => path !== "/openapi.json");
    const described = Object.keys(description.paths);
    expect(described).toEqual(paths?.map((path) => path.replace(/[A-Z_]+/, "{$&}").toLowerCase()) ?? []);
    for (const path of described) {
      const { headers } = await sandbox.call("PATCH", path.replace(/\{.*\}/, "x"));
      const methods = Object.keys(description.paths[path] ?? {}).map((method) => method.toUpperCase());
      expect({ path, methods }).toEqual({
        path,
        methods: (headers.get("Allow") ?? "").split(", ").filter((method) => method !== "HEAD"),
      });
    }
  });
});

/** A call: its method, its path as it is described, what stands for the id, a query or a body, and the status. */
interface Call {
  readonly id?: string;
  readonly query?: string;
  readonly json?: unknown;
  readonly status?: number;
}

describe("real answers are held to the description", () => {
  const seen = new Set<string>();

  async function send(method: string, path: string, { id = "", query = "", json, status = 200 }: Call = {}) {
    const address = path.replace(/\{.*\}/, id) + query;
    const answer = await sandbox.call(method, address, json === undefined ? {} : { json });
    expect(answer.status, `${method} ${address}: ${answer.text}`).toBe(status);
    const operation = operationOf(method, path);
    const schema =
      status === 200
        ? jsonOf(operation, "200")?.schema
        : (jsonOf(operation, String(status)) ?? { schema: FAILURE }).schema;
    const fits = checkerOf(schema ?? {});
    expect(fits(answer.body), `${method} ${address}: ${answer.text}`).toBeNull();
    expect(fits({ ...answer.body, more: 1 })).not.toBeNull();
    if (json !== undefined && status === 200) {
      const sent = operation.requestBody?.content["application/json"].schema ?? {};
      expect(checkerOf(sent)(json), `${method} ${address}: ${JSON.stringify(json)}`).toBeNull();
    }
    if (status === 200) seen.add(`${method} ${path}`);
    return answer.body;
  }

  let FAILURE: object;
  beforeAll(() => {
    FAILURE = description.components.schemas.Failure;
  });

  test("of every path and method, full and empty, and of refusals", async () => {
    for (const path of ["/health", "/ready", "/outcomes", "/prompts", "/messages", "/server", "/audit", "/requests"]) {
      await send("GET", path);
    }
    await send("GET", "/rules");
    const rules = [
      { outcome: "cancelled" },
      {
        match: { phone: "0712345678", amount: 19.99, payment_account_id: 1, reference: "R" },
        outcome: "completed",
        after: "3s",
        times: 2,
      },
    ];
    await send("POST", "/rules", { json: { rules } });
    await send("POST", "/rules", { json: rules[1] });
    await send("PUT", "/rules", { json: rules });
    await send("PUT", "/rules", { json: [{ outcome: "paid" }], status: 400 });
    await send("DELETE", "/rules");

    await send("GET", "/default");
    await send("PUT", "/default", { json: { outcome: "expired" } });
    await send("PUT", "/default", { json: { outcome: "silent" } });
    await send("PUT", "/default", { json: { outcome: "completed", after: "10s" } });

    await send("GET", "/faults");
    const faults = [
      { path: "/status.php", kind: "delay", delay: "1s", times: 3 },
      { kind: "error", status: 503, probability: 0.5 },
      { path: "/transactions.php", kind: "disconnect" },
    ];
    await send("PUT", "/faults", { json: { faults, seed: 1 } });
    await send("PUT", "/faults", { json: { faults: [{ kind: "delay" }] }, status: 400 });
    await send("DELETE", "/faults");

    const { caller } = sandbox;
    const paid = await sandbox.pay({ reference: "A", phone: "0712345678" }, { "X-Sandbox-Outcome": "completed" });
    const failed = await sandbox.pay({ reference: "B" }, { "X-Sandbox-Outcome": "insufficient_funds" });
    const byHand = await sandbox.pay({ reference: "C", description: "D" }, { "X-Sandbox-Outcome": "manual" });
    const open = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
    await sandbox.ask("POST", "/status.php", { json: { checkout_request_id: 5 } });
    await sandbox.ask("GET", "/transactions.php");
    await send("GET", "/clock");
    await send("POST", "/clock", { json: { freeze: true, advance: "5s" } });
    await send("POST", "/clock", { json: {}, status: 400 });
    await send("GET", "/prompts", { query: "?phone=0712345678" });
    await send("GET", "/prompts", { query: "?phone=1", status: 400 });
    await send("POST", "/prompts/{id}/answer", { id: byHand, json: { pin: "1234" } });
    await send("POST", "/prompts/{id}/answer", { id: byHand, json: { pin: "1234" }, status: 409 });
    for (const id of [paid, failed, byHand, open]) {
      await sandbox.statusOf(id);
      await send("GET", "/transactions/{checkout_request_id}", { id });
    }
    await send("GET", "/transactions/{checkout_request_id}", { id: "nobody", status: 404 });
    await send("GET", "/transactions", { query: `?merchant_id=${caller.merchantId}&status=completed&search=a` });
    await send("GET", "/messages");
    await send("GET", "/requests", { query: "?limit=2" });
    await send("GET", "/requests", { query: "?limit=0", status: 400 });
    await send("POST", "/requests/{id}/replay", { id: "1", json: {} });
    await send("POST", "/requests/{id}/replay", { id: "none", json: {}, status: 404 });
    await send("GET", "/audit");
    await send("DELETE", "/audit");
    await send("POST", "/wait", { json: { checkout_request_id: paid } });
    await send("POST", "/wait", { json: { reference: "B", until: "failed", timeout: "1s" } });
    await send("POST", "/wait", { json: { reference: "B", until: "completed", timeout: "0s" }, status: 408 });

    const order = { payment_account_id: caller.accountId, phone: "0712345678", amount: 100 };
    await send("POST", "/payments", { json: { ...order, kind: "wallet_deposit", outcome: "cancelled" } });
    await send("POST", "/payments", { json: { ...order, kind: "cash" }, status: 400 });
    const { id } = await send("POST", "/merchants", { json: { name: "Third Shop" } });
    await send("POST", "/accounts", { json: { name: "Till", fee: "1%+10", merchant_id: id } });
    const { api_key } = await send("POST", "/keys", { json: { label: "test", merchant_id: id } });
    await send("DELETE", "/keys/{api_key}", { id: String(api_key) });
    await send("GET", "/merchants");
    await send("GET", "/accounts", { query: `?merchant_id=${id}` });
    await send("GET", "/keys", { query: `?merchant_id=${id}` });
    await send("GET", "/webhook");
    await send("PUT", "/webhook", { json: { url: "http://127.0.0.1:1/", times: 2, delay: "1h", lost: 0.5, seed: 1 } });
    await send("PUT", "/webhook", { json: { url: "ftp://shop" }, status: 400 });
    await sandbox.control("POST", `/prompts/${open}/answer`, { outcome: "cancelled" });
    await send("GET", "/webhook", { query: "?limit=1" });
    await send("POST", "/webhook/deliveries/{id}/resend", { id: "1" });
    await send("POST", "/webhook/deliveries/{id}/resend", { id: "99", status: 404 });
    await send("GET", "/transactions/{checkout_request_id}", { id: open });
    await send("DELETE", "/webhook");
    await send("PUT", "/snapshots/{name}", { id: "before" });
    await send("GET", "/snapshots");
    await send("POST", "/snapshots/{name}/restore", { id: "before", json: {} });
    await send("DELETE", "/snapshots/{name}", { id: "before" });
    await send("POST", "/reset", { json: {} });

    const texts = ["GET /events", "GET /metrics"];
    const described = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.filter((call) => !seen.has(call) && !texts.includes(call))).toEqual([]);
  });

  test("the other content types are those that it answers with", async () => {
    const origin = "http://127.0.0.1:2547";
    const typeOf = async (path: string) => {
      const request = new Request(`${origin}/_momo${path}`, { headers: { Host: "127.0.0.1:2547" } });
      return (await sandbox.handle(request)).headers.get("Content-Type")?.replace(/;.*$/, "") ?? "";
    };
    const described = (path: string) => Object.keys(operationOf("GET", path).responses["200"]?.content ?? {}).sort();
    const formats = ["text", "json", "junit", "sarif", "github"].map((format) => typeOf(`/audit?format=${format}`));
    expect([...new Set(await Promise.all(formats))].sort()).toEqual(described("/audit"));
    expect([await typeOf("/requests"), await typeOf("/requests?format=curl")]).toEqual(described("/requests"));
    for (const path of ["/events", "/metrics"]) expect([await typeOf(path)]).toEqual(described(path));
  });
});

test("the example of each body fits its schema", () => {
  for (const operations of Object.values(description.paths)) {
    for (const { requestBody } of Object.values(operations)) {
      const content = requestBody?.content["application/json"];
      if (content) expect(checkerOf(content.schema)(content.example)).toBeNull();
    }
  }
});
