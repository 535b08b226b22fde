import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { ResponseForm } from "../../src/http/answers.ts";
import { ANSWERS, failureSchema } from "../../src/http/answers.ts";
import { createSchemaChecker } from "../support/json-schema.ts";
import { type Answer, openScene, payment, readAnswer, type Scene } from "../support/scenario.ts";

interface Described {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly security: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: { readonly Failure: object } };
}

interface Operation {
  readonly requestBody?: { readonly content: { readonly "application/json": Content } };
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: object;
    readonly example: unknown;
  }[];
  readonly responses: Record<string, { readonly content: { readonly "application/json": Content } }>;
}

interface Content {
  readonly schema: object;
  readonly example: Record<string, unknown>;
}

/** Asks without credentials. */
const fetchOf = ({ harness }: Scene, method = "GET", headers: Record<string, string> = {}) =>
  harness.api(new Request("http://localhost/openapi.json", { method, headers }));

async function describeIn(form: ResponseForm): Promise<{ scene: Scene; description: Described }> {
  const scene = await openScene({ form });
  const response = await fetchOf(scene);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toStartWith("application/json");
  return { scene, description: (await response.json()) as Described };
}

const checkerOf = await createSchemaChecker();
const operationOf = (description: Described, path: string) =>
  Object.values(description.paths[path] ?? {})[0] as Operation;
const queryOf = (description: Described) =>
  operationOf(description, "/transactions.php").parameters.filter((parameter) => parameter.in === "query");
const bodySchemaOf = (description: Described, path: string) =>
  operationOf(description, path).requestBody?.content["application/json"].schema ?? {};

describe("GET /openapi.json, outside the base path, without credentials", () => {
  test.each(["full", "short"] as const)("OpenAPI 3.1 of the three operations, valid: %s", async (form) => {
    const { scene, description } = await describeIn(form);
    expect(description.openapi).toStartWith("3.1.");
    expect(Object.entries(description.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
      ["/stkpush.php", ["post"]],
      ["/status.php", ["post"]],
      ["/transactions.php", ["get"]],
    ]);
    expect(description.info.license).toEqual({ name: "MIT", identifier: "MIT" });
    expect(description.security).toEqual([{ apiKey: [], apiSecret: [] }]);
    // Some converters keep one security scheme alone, so each operation names both headers, too.
    for (const path of Object.keys(description.paths)) {
      const headers = operationOf(description, path).parameters.filter((parameter) => parameter.in === "header");
      expect(headers.map(({ name }) => name)).toEqual(["X-API-Key", "X-API-Secret"]);
    }
    const result = await new Validator().validate(JSON.parse(JSON.stringify(description)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    await scene.close();
  });

  for (const method of ["POST", "PUT", "DELETE"]) {
    test(`${method}: 405 with Allow`, async () => {
      const scene = await openScene();
      const answer = await readAnswer(await fetchOf(scene, method));
      expect(answer.status).toBe(405);
      expect(answer.headers.get("Allow")).toBe("GET");
      expect(failureSchema.safeParse(answer.body).success).toBe(true);
      await scene.close();
    });
  }
});

describe("the server of the description is the address that it was asked at", () => {
  test.each([
    ["127.0.0.1:2547", {}, "http://127.0.0.1:2547/v2"],
    ["localhost:80", {}, "http://localhost:80/v2"],
    ["[::1]:2547", {}, "http://[::1]:2547/v2"],
    ["pay.example", { "X-Forwarded-Proto": "https" }, "https://pay.example/v2"],
    ["pay.example", { "X-Forwarded-Proto": "gopher" }, "http://pay.example/v2"],
    // Nothing that somebody made up.
    ["a.example/path", {}, "/v2"],
    ["user@a.example", {}, "/v2"],
    ["a.example:99999", {}, "/v2"],
    ['"><script>', {}, "/v2"],
    ["", {}, "/v2"],
  ])("Host: %s %p", async (host, more, url) => {
    const scene = await openScene();
    const description = (await (await fetchOf(scene, "GET", { Host: host, ...more })).json()) as Described;
    expect(description.servers).toEqual([{ url }, { url: url.replace(/v2$/, "api/v2") }]);
    await scene.close();
  });
});

describe("each operation has examples: a request, its answer, and each way it fails", () => {
  test.each(["full", "short"] as const)("they fit their schemas: %s", async (form) => {
    const { scene, description } = await describeIn(form);
    const isFailure = checkerOf(description.components.schemas.Failure);
    for (const path of Object.keys(description.paths)) {
      const { requestBody, parameters, responses } = operationOf(description, path);
      const body = requestBody?.content["application/json"];
      if (body) expect(checkerOf(body.schema)(body.example)).toBeNull();
      for (const { in: place, schema, example } of parameters) {
        if (place === "query") expect(checkerOf(schema)(example)).toBeNull();
      }
      for (const [status, { content }] of Object.entries(responses)) {
        const { schema, example } = content["application/json"];
        expect((status === "200" ? checkerOf(schema) : isFailure)(example), `${status} ${path}`).toBeNull();
      }
    }
    await scene.close();
  });

  test("momo takes those requests, and says those messages", async () => {
    const { scene, description } = await describeIn("full");
    const { caller } = scene;
    const exampleOf = (path: string, status: number) =>
      operationOf(description, path).responses[status]?.content["application/json"].example;
    const bodyOf = (path: string) => operationOf(description, path).requestBody?.content["application/json"].example;
    const order = bodyOf("/stkpush.php");
    const query = operationOf(description, "/transactions.php")
      .parameters.filter((parameter) => parameter.in === "query")
      .map(({ name, example }) => `${name}=${example}`)
      .join("&");
    const sent: [status: number, path: string, spec: Omit<Parameters<Scene["send"]>[0], "path">, query?: string][] = [
      [200, "/stkpush.php", { json: order }],
      [400, "/stkpush.php", { json: { ...order, payment_account_id: "1", amount: undefined } }],
      [500, "/stkpush.php", { json: { ...payment(caller), phone: "254700000500" } }],
      [404, "/status.php", { json: bodyOf("/status.php") }],
      [400, "/status.php", { json: {} }],
      [400, "/transactions.php", {}, "limit=500"],
      [404, "/transactions.php", {}, "id=99"],
      ...Object.keys(description.paths).flatMap((path): [number, string, object][] => [
        [401, path, { as: "nobody", ...(path !== "/transactions.php" && { json: {} }) }],
        [405, path, { method: "DELETE" }],
      ]),
    ];
    for (const [status, path, spec, parameters = ""] of sent) {
      const answer = await scene.send({ path: `${path}?${parameters}`, ...spec });
      expect({ path, status: answer.status, message: answer.body.message }).toEqual({
        path,
        status,
        message: exampleOf(path, status)?.message,
      });
    }
    await scene.harness.advance(3000);
    const list = await scene.send({ path: `/transactions.php?${query}` });
    expect(list.body).toMatchObject({ message: exampleOf("/transactions.php", 200)?.message as string });
    await scene.close();
  });
});

describe("real answers match the schemas that are described", () => {
  for (const form of ["full", "short"] as const) {
    test(`of all statuses: ${form}`, async () => {
      const { scene, description } = await describeIn(form);
      const isFailure = checkerOf(description.components.schemas.Failure);
      const seen = new Set<string>();

      /** Holds one answer against zod's schema and, with another validator, against the description. */
      function check(path: string, { status, body, text }: Answer): void {
        seen.add(`${status} ${path}`);
        const described = operationOf(description, path).responses[status];
        expect(described, `${status} ${path} is described`).toBeDefined();
        const schema = status === 200 ? ANSWERS[form][path] : failureSchema;
        expect(schema?.safeParse(body).error, text).toBeUndefined();
        const fits = status === 200 ? checkerOf(described?.content["application/json"].schema ?? {}) : isFailure;
        expect(fits(body), text).toBeNull();
        expect(fits({ ...body, more: 1 })).not.toBeNull();
      }

      async function send(path: string, spec: Omit<Parameters<Scene["send"]>[0], "path"> = {}, query = "") {
        const answer = await scene.send({ path: path + query, ...spec });
        check(path, answer);
        return answer.body;
      }

      const ids: unknown[] = [];
      for (const outcome of ["completed", "insufficient_funds", "cancelled", "silent", "manual"]) {
        const headers = { "X-Sandbox-Outcome": outcome };
        const json = { ...payment(scene.caller), amount: 1234.56, reference: "R" };
        ids.push((await send("/stkpush.php", { json, headers })).checkout_request_id);
      }
      const states = async () => {
        const found = await Promise.all(ids.map((id) => send("/status.php", { json: { checkout_request_id: id } })));
        for (const query of [
          "",
          "?limit=1&page=2",
          "?status=failed&type=api&search=r&id=1&date_from=2026-01-01&date_to=2027-01-01",
        ]) {
          await send("/transactions.php", {}, query);
        }
        return found.map(({ status }) => status);
      };
      expect(await states()).toEqual(["pending", "pending", "pending", "pending", "pending"]);
      await scene.harness.advance(3000);
      expect(await states()).toEqual(["completed", "failed", "cancelled", "pending", "pending"]);
      await scene.harness.advance(60_000);
      expect(await states()).toEqual(["completed", "failed", "cancelled", "expired", "expired"]);

      const refused = { ...payment(scene.caller), phone: "254700000500" };
      await send("/stkpush.php", { json: refused });
      await send("/stkpush.php", { json: {} });
      await send("/status.php", { json: { checkout_request_id: "ws_CO_1_NOBODY" } });
      await send("/status.php", { json: [] });
      await send("/transactions.php", {}, "?id=99");
      await send("/transactions.php", {}, "?page=0");
      for (const path of ["/stkpush.php", "/status.php", "/transactions.php"]) {
        await send(path, { as: "nobody", ...(path !== "/transactions.php" && { json: {} }) });
        await send(path, { method: "DELETE" });
      }
      const paths = ["/stkpush.php", "/status.php", "/transactions.php"];
      for (const path of paths) for (const status of [200, 400, 401, 405]) expect(seen).toContain(`${status} ${path}`);
      expect(seen).toContain("500 /stkpush.php");
      expect(seen).toContain("404 /status.php");
      expect(seen).toContain("404 /transactions.php");
      await scene.close();
    });
  }
});

describe("requests are described as they are held against", () => {
  const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };
  const EXAMPLES: [path: string, json: object][] = [
    ["/stkpush.php", order],
    ["/stkpush.php", { ...order, phone: "254712345678", amount: 99.5, reference: "R", description: "D" }],
    ["/stkpush.php", { ...order, amount: 1.01, reference: "", unknown: true }],
    ["/stkpush.php", { ...order, amount: 0.99 }],
    ["/stkpush.php", { ...order, amount: "100" }],
    ["/stkpush.php", { ...order, amount: 1e9 }],
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

  test("a body fits the description exactly where the operation takes it", async () => {
    const { scene, description } = await describeIn("full");
    for (const [path, json] of EXAMPLES) {
      const fits = checkerOf(bodySchemaOf(description, path))(json) === null;
      const taken = (await scene.send({ path, json })).status === 200;
      expect({ json, fits }).toEqual({ json, fits: taken });
    }
    await scene.close();
  });

  test("every amount of whole cents fits, as a JSON number", async () => {
    const { scene, description } = await describeIn("full");
    const fits = checkerOf(bodySchemaOf(description, "/stkpush.php"));
    for (let cents = 100; cents <= 100_000; cents++) {
      if (fits({ ...order, amount: cents / 100 }) !== null) throw new Error(`${cents / 100} does not fit`);
    }
    expect(fits({ ...order, amount: 999_999_999.99 })).toBeNull();
    await scene.close();
  });

  test("a parameter's schema takes the values that the operation takes", async () => {
    const { scene, description } = await describeIn("full");
    const parameters = queryOf(description);
    const values: Record<string, unknown[]> = {
      page: [1, 2, 0, -1, 1.5],
      limit: [1, 100, 101, 0],
      type: ["api", "API", "Wallet_Deposit", "nothing", "apis", "aapi", "api\n"],
      status: ["expired", "EXPIRED", "eXpired", "paid", "unexpired"],
      date_from: ["2026-11-20", "2026-02-30", "20.11.2026"],
      search: ["x"],
    };
    for (const { name, schema } of parameters) {
      const fits = checkerOf(schema);
      for (const value of values[name] ?? []) {
        const taken =
          (await scene.send({ path: `/transactions.php?${name}=${encodeURIComponent(String(value))}` })).status === 200;
        expect({ name, value, fits: fits(value) === null }).toEqual({ name, value, fits: taken });
      }
    }
    await scene.close();
  });
});
