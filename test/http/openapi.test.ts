import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { version } from "../../cli/version.ts";
import type { FilterName } from "../../src/domain/filters.ts";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { serversOf } from "../../src/http/openapi.ts";
import { forAllTests } from "../support/cleanup.ts";
import { schemaChecker } from "../support/openapi.ts";
import { expectSoundAnswer, openScene, payment, type RequestSpec, readAnswer } from "../support/scene.ts";
import { fetchDescription, openDescription, operationOf } from "./description.ts";

const PATHS = ["/stkpush.php", "/status.php", "/transactions.php"];

const full = forAllTests(openDescription);
const queryOf = () =>
  operationOf(full.description, "/transactions.php").parameters.filter((parameter) => parameter.in === "query");
const bodyOf = (path: string) => operationOf(full.description, path).requestBody?.content["application/json"];

describe("GET /openapi.json, outside the base path, without credentials", () => {
  test("OpenAPI 3.1 of the three operations, valid", async () => {
    const { description } = full;
    expect(description.openapi).toStartWith("3.1.");
    expect(Object.entries(description.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
      ["/stkpush.php", ["post"]],
      ["/status.php", ["post"]],
      ["/transactions.php", ["get"]],
    ]);
    expect(description.info).toMatchObject({ version, license: { name: "MIT", identifier: "MIT" } });
    expect(description.security).toEqual([{ apiKey: [], apiSecret: [] }]);
    // Some converters keep only one security scheme, so each operation names both headers, too.
    for (const path of PATHS) {
      const headers = operationOf(description, path).parameters.filter((parameter) => parameter.in === "header");
      expect(headers.map(({ name }) => name)).toEqual(["X-API-Key", "X-API-Secret"]);
    }
    const result = await new Validator().validate({ ...description });
    expect(result).toMatchObject({ valid: true });
  });

  test("another method is 405 with Allow", async () => {
    const answer = await readAnswer(await fetchDescription(full.scene, { method: "POST" }));
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "GET"]);
    expectSoundAnswer(answer);
  });

  test.each([
    ["127.0.0.1:2547", {}, "http://127.0.0.1:2547"],
    ["[::1]:2547", {}, "http://[::1]:2547"],
    ["Pay.Example", { "X-Forwarded-Proto": "https" }, "https://Pay.Example"],
    ["pay.example", { "X-Forwarded-Proto": "gopher" }, "http://pay.example"],
    [
      "localhost:2547",
      { "X-Forwarded-Host": "a-2547.app.example", "X-Forwarded-Proto": "https" },
      "https://a-2547.app.example",
    ],
    [
      "localhost:2547",
      { "X-Forwarded-Host": "a.example:8443, proxy.local", "X-Forwarded-Proto": "https, http" },
      "https://a.example:8443",
    ],
    ["pay.example", { "X-Forwarded-Host": "" }, "http://pay.example"],
    ["pay.example", { "X-Forwarded-Host": "a.example/path" }, "http://pay.example"],
    ["pay.example", { "X-Forwarded-Host": '"><script>' }, "http://pay.example"],
    ["pay.example", { "X-Forwarded-Host": "user@a.example", "X-Forwarded-Proto": "https" }, "https://pay.example"],
    ["a.example/path", {}, ""],
    ["user@a.example", {}, ""],
    ["a.example:99999", {}, ""],
    ['"><script>', {}, ""],
  ])("the server is the address that was asked: Host: %s %p", async (host, more, origin) => {
    const response = await fetchDescription(full.scene, { headers: { Host: host, ...more } });
    expect(await response.json()).toMatchObject({ servers: [{ url: `${origin}/v2` }, { url: `${origin}/api/v2` }] });
  });
});

test.each([
  ["", ["/", "/pay"]],
  ["http://momo", ["http://momo", "http://momo/pay"]],
])("an empty base path is the address itself: %j", (origin, urls) => {
  expect(serversOf(["", "/pay"], origin).map(({ url }) => url)).toEqual(urls);
});

test("statuses and types are enums, and a transaction has a name, so that generated clients have types for them", () => {
  const { Transaction } = full.description.components.schemas;
  expect(Transaction).toMatchObject({
    properties: { status: { enum: STATUSES }, kind: { enum: KINDS }, type: { enum: expect.arrayContaining(["API"]) } },
  });
  const schemas = Object.fromEntries(queryOf().map(({ name, schema }) => [name, schema]));
  expect(schemas).toMatchObject({ status: { enum: STATUSES }, type: { enum: KINDS } });
  const list = full.description.paths["/transactions.php"]?.get?.responses[200]?.content["application/json"].schema;
  expect(list).toMatchObject({ properties: { transactions: { items: { $ref: "#/components/schemas/Transaction" } } } });
});

test.each(["status=EXPIRED", "type=Api"])("a filter that takes any letter case says so: %s", async (query) => {
  expect((await full.scene.send({ path: `/transactions.php?${query}` })).status).toBe(200);
  const [name] = query.split("=");
  const parameter = queryOf().find((one) => one.name === name);
  expect(parameter?.description).toContain("in any letter case");
});

describe("each operation has examples: a request, its answer, and each way it fails", () => {
  test.each(["full", "short"] as const)("they fit their schemas: %s", async (form) => {
    const { description, close } = await openDescription({ profile: { response_form: form } });
    for (const path of PATHS) {
      const { requestBody, parameters, responses } = operationOf(description, path);
      const body = requestBody?.content["application/json"];
      if (body) expect(schemaChecker(body.schema)(body.example)).toBeNull();
      for (const { in: place, schema, example } of parameters) {
        if (place === "query") expect(schemaChecker(schema)(example)).toBeNull();
      }
      for (const [status, { content }] of Object.entries(responses)) {
        const { schema, example } = content["application/json"];
        const { Failure } = description.components.schemas;
        expect(schemaChecker(status === "200" ? schema : Failure)(example), `${status} ${path}`).toBeNull();
      }
    }
    await close();
  });

  test("momo accepts those requests, and answers with those messages", async () => {
    const scene = await openScene();
    const order = bodyOf("/stkpush.php")?.example;
    const query = queryOf().map(({ name, example }) => `${name}=${example}`);
    const sent: [status: number, path: string, spec: Partial<RequestSpec>, query?: string][] = [
      [200, "/stkpush.php", { json: order }],
      [400, "/stkpush.php", { json: { ...order, payment_account_id: "1", amount: undefined } }],
      [500, "/stkpush.php", { json: { ...payment(scene.caller), phone: "254700000500" } }],
      [404, "/status.php", { json: bodyOf("/status.php")?.example }],
      [400, "/status.php", { json: {} }],
      [400, "/transactions.php", {}, "limit=500"],
      [404, "/transactions.php", {}, "id=99"],
      ...PATHS.flatMap((path): [number, string, Partial<RequestSpec>][] => [
        [401, path, { as: "anonymous", method: path === "/transactions.php" ? "GET" : "POST" }],
        [405, path, { method: "DELETE" }],
      ]),
      [200, "/transactions.php", {}, query.join("&")],
    ];
    for (const [status, path, spec, parameters = ""] of sent) {
      if (parameters === query.join("&")) await scene.advance(3000);
      const answer = await scene.send({ ...spec, path: `${path}?${parameters}` });
      const { message } =
        operationOf(full.description, path).responses[status]?.content["application/json"].example ?? {};
      expect({ path, status: answer.status, message: answer.body.message }).toEqual({ path, status, message });
    }
    await scene.close();
  });
});

describe("the description accepts a request exactly where the operation accepts it", () => {
  const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };
  const BODIES: [path: string, json: object][] = [
    ["/stkpush.php", order],
    ["/stkpush.php", { ...order, phone: "254712345678", amount: 99.5, reference: "R", description: "D" }],
    ["/stkpush.php", { ...order, amount: 1.01, reference: "", unknown: true }],
    ["/stkpush.php", { ...order, amount: 0.99 }],
    ["/stkpush.php", { ...order, amount: "100" }],
    ["/stkpush.php", { ...order, amount: 1e9 }],
    ["/stkpush.php", { ...order, phone: "0112345678", description: "x".repeat(182) }],
    ["/stkpush.php", { ...order, phone: "+254712345678" }],
    ["/stkpush.php", { ...order, phone: 712345678 }],
    ["/stkpush.php", { ...order, payment_account_id: "1" }],
    ["/stkpush.php", { ...order, reference: "x".repeat(101) }],
    ["/stkpush.php", { ...order, reference: "😀".repeat(100) }],
    ["/stkpush.php", { ...order, reference: null }],
    ["/stkpush.php", { phone: "0712345678", amount: 100 }],
    ["/status.php", { checkout_request_id: "" }],
    ["/status.php", { checkout_request_id: 5 }],
    ["/status.php", {}],
  ];

  test.each(BODIES)("%s %j", async (path, json) => {
    const fits = schemaChecker(bodyOf(path)?.schema)(json) === null;
    expect((await full.scene.send({ path, json })).status === 200).toBe(fits);
  });

  test("amounts of whole cents, although binary fractions are not exact", () => {
    const fits = schemaChecker(bodyOf("/stkpush.php")?.schema);
    const amounts = Array.from({ length: 2000 }, (_, index) => (100 + index * 37) / 100);
    for (const amount of [...amounts, 19.99, 999_999_999.99]) expect(fits({ ...order, amount })).toBeNull();
  });

  /** The compiler refuses a filter that is missing here. */
  const VALUES: Record<FilterName | "page" | "limit", unknown[]> = {
    page: [1, 0, -1, 1.5],
    limit: [1, 100, 101, 0],
    type: ["api", "wallet_deposit", "nothing", "apis", "aapi", "api\n"],
    status: ["expired", "paid", "unexpired"],
    date_from: ["2026-11-20", "0001-01-01", "2026-02-30", "20.11.2026"],
    date_to: ["2026-11-20", "9999-12-31", "2026-11-31", "2026-11"],
    search: ["x", "+254712", "x".repeat(100), "x".repeat(101)],
    id: [1, 0, -5, 1.5],
  };
  test.each(Object.entries(VALUES))("the parameter %s", async (name, values) => {
    const schema = queryOf().find((parameter) => parameter.name === name)?.schema;
    for (const value of values) {
      const path = `/transactions.php?${name}=${encodeURIComponent(String(value))}`;
      const isAccepted = (await full.scene.send({ path })).status !== 400; // an unknown id is 404
      expect({ value, fits: schemaChecker(schema)(value) === null }).toEqual({ value, fits: isAccepted });
    }
  });
});
