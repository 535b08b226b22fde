import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DESCRIBED_CALLS } from "../../sandbox/control/calls.ts";

import { describeControl } from "../../sandbox/control/openapi.ts";
import { refusal } from "../../sandbox/control/shapes/refusal.ts";
import { jsonSchemaOf } from "../../src/http/description.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { cleanUp } from "../support/cleanup.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { type Description, schemaChecker, withoutNames } from "../support/openapi.ts";
import { SEED, TIMES } from "../support/random.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

/** Requests to every operation of both APIs, drawn from their OpenAPI descriptions: good, nearly good, and strange. */

let server: Served;
beforeAll(async () => {
  server = await serveMomo(["--quiet", "--prompt-timeout", "1s"]);
});
afterAll(cleanUp);

const LIMITS = { seed: SEED, interruptAfterTimeLimit: 120_000 * TIMES, markInterruptAsFailure: true };

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { schema: object }>> }>>;
}

const merchants = describeApi({}, "0.0.0");
const { Failure } = merchants.components.schemas;
const NAMED: Readonly<Record<string, object>> = {
  "#/components/schemas/Failure": Failure,
  "#/components/schemas/Refusal": jsonSchemaOf(refusal),
};
const { paths: merchantPaths } = withoutNames(merchants as unknown as Description);

/** Without the stream of events, which does not end. */
const OPERATIONS = [
  ["/v2", merchantPaths] as const,
  ["/_momo", describeControl(DESCRIBED_CALLS, "0.0.0").paths] as const,
].flatMap(([base, paths]) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Operation>)
      .filter(() => path !== "/events")
      .map(([method, operation]) => [`${method.toUpperCase()} ${base}${path}`, operation] as const),
  ),
);

const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 300 }));
const segment = text.filter((it) => it.isWellFormed()).map(encodeURIComponent);
const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  text,
  fc.double(),
  fc.bigInt().map(Number),
  fc.constantFrom(null, "", "0", -1, 1e308, [], {}, "__proto__", "\u0000", "𝒳".repeat(200), true),
);

/** Good and bad values for rules that no schema of JSON has, by the end of a member's name. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  phone: ["0712345678", "254700000032", "254700000100", "254712345678", "0700000500"],
  amount: [1, 100, 99.99, 250_001, 999_999_999.99, 0.5, 99.999],
  _id: [1, 1, 1, 2],
  pin: ["1234", "0000", "12345"],
  after: ["0ms", "1ms", "20ms", "3s", "24h", "25h", "-1s", "1e3s", "١s"],
  timeout: ["0ms", "5ms"],
  fee: ["1%", "10", "1.5%+10", "101%"],
  url: ["http://127.0.0.1:1/"],
  date: ["2026-01-01", "9999-12-31"],
  search: ["07", "%", "ws_CO_"],
};
const NUMBERS = [1, 2, 3, 100, 503, 9_007_199_254_740_991];

/** Mostly values that are good, so that many requests are accepted. */
function valuesOf(schema: Schema, ids: readonly string[], name = ""): fc.Arbitrary<unknown> {
  const [, known] = Object.entries({ checkout_request_id: ids, ...VALUES }).find(([end]) => name.endsWith(end)) ?? [];
  const among = known ?? schema.enum ?? schema.examples;
  const good = (): fc.Arbitrary<unknown> => {
    if (among) return fc.constantFrom(...among);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, ids)));
    if (schema.items) return fc.array(valuesOf(schema.items, ids), { maxLength: 3 });
    if (schema.properties) return objectsOf(schema, ids);
    if (schema.type === "boolean") return fc.constant(true);
    return schema.type === "string" ? text : fc.constantFrom(...NUMBERS);
  };
  return fc.oneof({ weight: 14, arbitrary: good() }, { weight: 1, arbitrary: strange });
}

/** All members, some, or few, because some exclude each other; and sometimes there is an unknown one. */
function objectsOf({ properties = {}, required = [] }: Schema, ids: readonly string[]): fc.Arbitrary<object> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, it]) => [name, valuesOf(it, ids, name)]));
  // The default is long.
  const kept = Object.keys(members).filter((name) => required.includes(name) || name === "timeout");
  const few = fc.constantFrom(...Object.keys(members), "none").chain((one) => {
    const chosen = Object.entries(members).filter(([name]) => name === one || kept.includes(name));
    return fc.record(Object.fromEntries(chosen));
  });
  const some = fc.record(members, { requiredKeys: kept.filter((name) => name === "timeout") });
  const unknown = fc.dictionary(text, strange, { maxKeys: 2 });
  return fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: few }, fc.record(members), some),
      fc.oneof({ weight: 14, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: unknown }),
    )
    .map(([known, more]) => ({ ...more, ...known }));
}

const written = (body: fc.Arbitrary<unknown>): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> =>
  fc.oneof(
    { weight: 8, arbitrary: body.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: body.map((value) => JSON.stringify(value).slice(0, -1)) },
    { weight: 1, arbitrary: fc.oneof(text, fc.json()) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)) },
  );

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
const contentType = rarely(
  fc.constantFrom("text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded", ""),
);
const headerValue = rarely(fc.oneof(fc.stringMatching(/^[\x21-\x7e]{1,60}$/), fc.constantFrom("cancelled", "refused")));

interface Sent {
  readonly method: string;
  /** Below the origin. */
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** @param ids the checkout request ids of some payments */
function requestsTo(name: string, { parameters, requestBody }: Operation, ids: readonly string[]): fc.Arbitrary<Sent> {
  const { ready } = server;
  const [method = "", path = ""] = name.split(" ");
  const schema = requestBody?.content["application/json"].schema;
  const body = schema && valuesOf(schema, ids);
  const queries = parameters.filter((parameter) => parameter.in === "query");
  const pair = fc.oneof(
    ...queries.map(({ name: key, schema: rule }) =>
      fc.oneof(valuesOf(rule, ids).map(textOf), segment).map((value) => `${key}=${value}`),
    ),
    segment.map((value) => `other=${value}`),
  );
  return fc.record({
    method: fc.constant(method),
    target: fc
      .tuple(fc.oneof(fc.constantFrom(...ids, "1"), segment), fc.array(pair, { maxLength: queries.length && 3 }))
      .map(([id, pairs]) => path.replace(/\{.*\}/, () => id) + (pairs.length > 0 ? `?${pairs.join("&")}` : "")),
    headers: fc.tuple(contentType, headerValue, headerValue).map(([type, instruction, key]) => ({
      "X-API-Key": key ?? ready.api_key,
      "X-API-Secret": ready.api_secret,
      ...(body && { "Content-Type": type ?? "application/json" }),
      ...(instruction !== null && { "X-Sandbox-Outcome": instruction }),
    })),
    ...(body && { body: written(body) }),
  });
}

const textOf = (value: unknown): string => encodeURIComponent(String(JSON.stringify(value)).replace(/^"|"$/g, ""));

/** As new, with some payments: most of them wait for an answer. */
async function startSome(): Promise<string[]> {
  await server.control("POST", "/reset");
  const phones = ["0700000100", "0700000100", "0712345678", "0700000100"];
  return Promise.all(phones.map((phone) => server.pay({ phone, amount: 1 })));
}

/**
 * Sends it, and checks the answer: as the operation is described, or a refusal in the API's form; nothing about the program's
 * internals, and never the fixed 500, which says that momo has a bug.
 */
async function expectSound(sent: Sent, responses: Operation["responses"]): Promise<void> {
  const { method, target, headers = {}, body } = sent;
  const response = await fetch(new URL(server.ready.base_url).origin + target, {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(body !== undefined && method !== "GET" && method !== "HEAD" && { body }),
  });
  const answered = await response.text();
  const what = `${method} ${target} ${JSON.stringify(headers)} ${String(body).slice(0, 500)}
→ ${response.status} ${answered.slice(0, 500)}`;
  const described = responses[String(response.status)] ?? responses.default;
  if (!described) throw new Error(`${what}, not one of ${Object.keys(responses)}`);
  if (method === "HEAD") return;
  const type = response.headers.get("Content-Type")?.replace(/;.*/, "") ?? "";
  if (type !== "application/json" && response.status === 200 && described.content[type]) return;
  const answer = JSON.parse(answered) as Record<string, unknown>;
  const { schema = Failure } = described.content[type] ?? {};
  const misfit = schemaChecker("$ref" in schema ? NAMED[String(schema.$ref)] : schema)(answer);
  if (misfit !== null) throw new Error(`${what}\n${misfit}`);
  if (answer.success !== (response.status === 200) || !answer.message) throw new Error(what);
  if (response.status === 200) return;
  // A message repeats only names from the request, and not many.
  const leaks = /SQLITE|constraint failed|\bat \S+:\d+:\d+|node_modules|\$bunfs|internal server error/.test(answered);
  if (leaks || String(answer.message).length > 2000) throw new Error(what);
}

async function expectUnharmed(): Promise<void> {
  expect(server.child.stderr.text).toBe("");
  expect((await fetch(`${server.ready.control_url}/health`)).status).toBe(200);
}

describe("every answer is as it is described, or a refusal with `success` and `message`", () => {
  test.each(OPERATIONS)("%s", async (name, operation) => {
    const requests = requestsTo(name, operation, await startSome());
    const holds = fc.asyncProperty(requests, (sent) => expectSound(sent, operation.responses));
    await fc.assert(holds, { ...LIMITS, numRuns: 25 * TIMES });
    await expectUnharmed();
  });

  /** The paths whose answers have no `success` and `message`. */
  const DOCUMENTS = /^\/+(?:openapi\.json|_momo\/*(?:events|openapi\.json)?)?$/;

  test("any method at any path, near the ones that exist and far from them", async () => {
    const near = ["/v2/", "/_momo/", "/v2/stkpush.php/", "/v2/stkpush.php?", "/_momo/keys/mk_"];
    const target = fc
      .oneof(
        fc.webPath().map((path) => (path.startsWith("/") ? path : `/${path}`)),
        fc.tuple(fc.constantFrom(...near), segment).map((parts) => parts.join("")),
      )
      // As it is sent: `/_momo/.` is `/_momo/`.
      .filter((path) => !DOCUMENTS.test(new URL(`http://localhost${path}`).pathname));
    const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD");
    const content = { "application/json": { schema: { type: "object" } } };
    const responses = Object.fromEntries([200, 400, 401, 404, 405].map((status) => [status, { content }]));
    const holds = fc.asyncProperty(fc.record({ method, target }), (sent) => expectSound(sent, responses));
    await fc.assert(holds, { ...LIMITS, numRuns: 25 * TIMES });
    await expectUnharmed();
  });
});

test("after all of it, it stops with exit code 0", async () => {
  expect(await server.stop()).toBe(0);
});
