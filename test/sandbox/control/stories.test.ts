import { beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ALL_CALLS } from "../../../sandbox/control/calls.ts";
import { schemaChecker } from "../../support/openapi.ts";
import { createSameText } from "../../support/sandbox.ts";
import { type Answer, expectSoundAnswer, openScene, payment, type Scene } from "../../support/scene.ts";
import { testStories } from "../../support/stories.ts";

/**
 * The stories beside this file: what a test suite asks of a new sandbox, whose clock stands still, and what it answers. Each answer of
 * the control API is also checked with its OpenAPI description.
 *
 * A step is a method, a path (`v2/…` is the merchant API) and a body, then `-- HEADER: VALUE` (`none` removes it), then `| MEMBER MEMBER` if only these are of
 * interest, or `| LIST.MEMBER`, or `| -` if it must only be accepted. `mk_own` is the key that pays, and `<x * 101>` is 101 times x. `pay ORDER` starts a
 * payment, as `pay ORDER -- as other` one of the second merchant. `status N` says how the payment is, `list QUERY` says it of many, and
 * `advance DURATION` moves the clock. With `lenient` as the first step, the service is lenient.
 */

const FOLDER = import.meta.dir;

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Record<string, unknown>;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: { readonly "application/json": Content } };
  readonly responses: Record<string, { readonly content: Record<string, Content> }>;
}

interface Described {
  readonly servers: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: { readonly Refusal: object } };
}

let description: Described;
beforeAll(async () => {
  const sandbox = await openScene();
  description = (await sandbox.call("GET", "/openapi.json")).body as unknown as Described;
  await sandbox.close();
});

const described = () =>
  Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  );

/** The calls that have answered with 200. */
const answered = new Set<string>();

function expectDescribed(method: string, path: string, sent: string | undefined, { status, body, text }: Answer): void {
  const address = path.replace(/\?.*/, "");
  const isMeant = ({ call }: { call: string }) =>
    new RegExp(`^${call.replace(/\{.*\}/, "[^/]+")}$`).test(`${method} ${address}`);
  const found = described().find(isMeant);
  if (!found) return;
  const { call, operation } = found;
  const content = operation.responses[String(status)]?.content["application/json"];
  if (status === 200 && !content) return;
  const fits = schemaChecker(content?.schema ?? description.components.schemas.Refusal);
  expect(fits(body), text).toBeNull();
  expect(fits({ ...body, more: 1 }), text).not.toBeNull();
  if (status !== 200) return;
  answered.add(call);
  if (sent !== undefined) {
    expect(schemaChecker(operation.requestBody?.content["application/json"].schema)(JSON.parse(sent)), sent).toBeNull();
  }
}

async function carryOut(sandbox: Scene, ids: string[], written: string): Promise<string[]> {
  const step = written
    .replaceAll(/<([^<>]+) \* (\d+)>/g, (_, part: string, times: string) => part.repeat(Number(times)))
    .replaceAll("mk_own", sandbox.caller.key.apiKey);
  const [, call = "", name = "", value = "", member] =
    /^(.*?)(?: -- (.*?)(?:: (.*?))?)?(?: \| ([\w.-][\w. -]*))?$/.exec(step) ?? [];
  const [, method = "", path = "", content] = /^(\S+)(?: (\S+))?(?: (.*))?$/.exec(call) ?? [];
  // As a client sends UTF-8.
  const sent = Buffer.from(value).toString("latin1");
  const headers: Record<string, string> = name === "" || name === "as other" ? {} : { [name]: sent };
  switch (method) {
    case "lenient":
      return [];
    case "advance":
      await sandbox.advanceClock(path);
      return [];
    case "pay": {
      const caller = name === "as other" ? sandbox.other : sandbox.caller;
      const json = { ...payment(caller), ...JSON.parse(call.slice(4) || "{}") };
      const answer = await sandbox.ask("POST", "/stkpush.php", { json, headers: { ...caller.headers, ...headers } });
      if (answer.status === 200) ids.push(String(answer.body.checkout_request_id));
      return answer.status === 200 ? [] : [`${answer.status} ${answer.body.message}`];
    }
    case "status":
      return [textOf(await sandbox.statusOf(ids[Number(path) - 1] ?? path))];
    case "list":
      return (await sandbox.list(path)).map((row) => `${row.id} ${row.kind} ${row.amount} ${textOf(row)}`);
    default: {
      const answer = path.startsWith("v2/")
        ? await sandbox.ask(method, path.slice(2), {
            ...(content && { body: Buffer.from(content) }),
            headers: typed(content, headers),
          })
        : await sandbox.call(method, path, { ...(content && { body: content }), headers: typed(content, headers) });
      expectSoundAnswer(answer);
      if (path.startsWith("/")) expectDescribed(method, path, content, answer);
      const { checkout_request_id } = answer.body;
      if (path === "/payments" && checkout_request_id) ids.push(String(checkout_request_id));
      if (member === "-" && answer.status === 200) return [];
      const members = member?.split(" ").map((one) => JSON.stringify(memberOf(answer.body, one)));
      return [`${answer.status} ${members?.join(" ") ?? shownOf(answer)}`];
    }
  }
}

/** The issues of a refusal have a test of their own. */
function shownOf({ text, status, body: { issues, ...body } }: Answer): string {
  return status === 200 || issues === undefined ? text : JSON.stringify(body);
}

/** A member, or as `requests.id` one of each entry. */
function memberOf(body: unknown, path: string): unknown {
  const read = (value: unknown, name: string) => (value as Record<string, unknown> | null)?.[name];
  return path
    .split(".")
    .reduce(
      (value, name) => (Array.isArray(value) ? value.map((entry) => read(entry, name)) : read(value, name)),
      body,
    );
}

const typed = (content: string | undefined, headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries({ ...(content !== undefined && { "Content-Type": "application/json" }), ...headers }).filter(
      ([, value]) => value !== "none",
    ),
  );

const textOf = ({ status, result_code, completed_at }: Record<string, unknown>) =>
  [status, result_code ?? "-", completed_at ?? "-"].join(" ");

for (const name of readdirSync(FOLDER).filter((one) => one.endsWith(".txt"))) {
  testStories(join(FOLDER, name), (story) => async () => {
    const accept = /^> lenient$/m.test(story) ? "lenient" : "strict";
    const sandbox = await openScene({ seed: "same", profile: { accept } });
    await sandbox.renew();
    const ids: string[] = [];
    const sameText = createSameText("/data");
    return {
      ids,
      close: sandbox.close,
      async act(step) {
        const answers = await carryOut(sandbox, ids, step);
        return answers.flatMap((answer) => sameText(answer).trimEnd().split("\n"));
      },
    };
  });
}

test("the description is valid OpenAPI 3.1, with the address that the caller used, and its examples fit", async () => {
  expect(description).toMatchObject({ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:2547/_momo" }] });
  const result = await new Validator().validate(JSON.parse(JSON.stringify(description)));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  for (const { call, operation } of described()) {
    expect(Object.keys(operation.responses), call).toContain("421");
    const content = operation.requestBody?.content["application/json"];
    if (content) expect(schemaChecker(content.schema)(content.example), call).toBeNull();
  }
});

test("each parameter of a query is described with its bounds, and a body is required unless it is empty", () => {
  const parameters = description.paths["/requests"]?.get?.parameters ?? [];
  expect(parameters.map(({ name, in: place, schema }) => [place, name, schema.minimum, schema.maximum])).toEqual([
    ["query", "after", 0, 999_999_999_999_999],
    ["query", "before", 0, 999_999_999_999_999],
    ["query", "limit", 1, 1000],
    ["query", "format", undefined, undefined],
    ...["path", "status", "reference"].map((name) => ["query", name, undefined, undefined]),
  ]);
  const optional = described().filter(({ operation: { requestBody } }) => requestBody?.required === false);
  expect(optional.map(({ call }) => call)).toEqual([
    "POST /webhook/test",
    "POST /webhook/deliveries/{id}/resend",
    "PUT /snapshots/{name}",
    "POST /snapshots/{name}/restore",
    "POST /reset",
    "POST /requests/{id}/replay",
  ]);
});

test("the other content types are those of the answers", async () => {
  const sandbox = await openScene();
  const typeOf = async (path: string) => {
    const type = (await sandbox.request("GET", path)).headers.get("Content-Type") ?? "";
    expect(type).toMatch(/^application\/json$|^text\/event-stream$|; charset=utf-8$/);
    return type.replace(/;.*$/, "");
  };
  const typesOf = (path: string) => Object.keys(description.paths[path]?.get?.responses["200"]?.content ?? {}).sort();
  const formats = ["text", "github", "json", "junit"].map((format) => typeOf(`/audit?format=${format}`));
  const [text = "", ...others] = await Promise.all(formats);
  expect(others).toEqual([text, "application/json", "application/xml"]);
  expect(others.sort()).toEqual(typesOf("/audit"));
  expect([await typeOf("/requests"), await typeOf("/requests?format=curl")]).toEqual(typesOf("/requests"));
  for (const path of ["/events", "/metrics"]) expect([await typeOf(path)]).toEqual(typesOf(path));
  await sandbox.close();
});

test("it has every operation except itself and HEAD, and each that answers in JSON is in a story", () => {
  const calls = Object.entries(ALL_CALLS).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== "HEAD" && path !== "/openapi.json")
      .map((method) => `${method} ${path.replace(/[A-Z_]+/, "{$&}").toLowerCase()}`),
  );
  expect(described().map(({ call }) => call)).toEqual(calls);
  expect(calls.filter((call) => !answered.has(call))).toEqual(["GET /transactions.csv", "GET /metrics", "GET /events"]);
});
