import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { bounded } from "../../cli/mcp/bounded.ts";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { type Answer, type Assistant, assistant, startSession } from "./assistant.ts";

afterAll(cleanUp);

const PHONE = "0712345678";

describe("a refusal is the sandbox's own message", () => {
  const ANSWER = { action: "answer", pin: "1234" };
  const REFUSED: [tool: string, given: Answer, message: RegExp][] = [
    ["rules", { action: "add", rules: [{ outcome: "paid" }] }, /outcome.*the names are completed, .*"paid"/],
    ["rules", { action: "add" }, /^rules is missing$/],
    ["rules", { action: "burn" }, /action must be one of list, add, clear, remove; it is "burn"/],
    ["rules", { action: "constructor" }, /action must be one of list, add, clear, remove; it is "constructor"/],
    ["explain_payment", { checkout_request_id: ".." }, /^checkout_request_id must be a string, .*; it is ".."$/],
    [
      "clock",
      { action: "show", freeze: true },
      /no argument freeze: clock with action show .*for action set and advance/,
    ],
    ["state", { name: "checkout" }, /no argument name: state with action snapshots takes no arguments/],
    ["clock", { action: "stop" }, /action must be one of show, set, advance, freeze, resume; it is "stop"/],
    [
      "clock",
      { action: "show", ["u".repeat(200_000)]: 1 },
      /^there is no argument "u{40}…", 200000 characters: .{0,99}$/,
    ],
    ["clock", { action: "set", by: "1s" }, /there is no argument by: clock with action set takes freeze, .*advance/],
    ["clock", { action: "set", to: "2000-01-01 00:00" }, /to has passed: .* only moves forward/],
    ["audit", { action: "report", format: "junit" }, /no argument format: audit with action report takes over, whole$/],
    ["explain_payment", {}, /^checkout_request_id is missing: give one of checkout_request_id, reference, number$/],
    ["explain_payment", { reference: "A", number: 1 }, /^reference and number name the payment: give one of/],
    ["explain_payment", { reference: "A-1" }, /^there is no payment with this reference.*list_payments/],
    ["explain_payment", { number: "0x10" }, /^there is no payment with this number/],
    ["audit", { action: "requests", status: "40" }, /status must be a status of HTTP, such as 401, or 4xx/],
    ["start_payment", { phone: PHONE, amount: "ten" }, /amount must be .*"ten"/],
    ["start_payment", { phone: PHONE, amount: "0x10" }, /amount must be .*"0x10"/],
    ["wait_for_payment", {}, /^give either checkout_request_id or reference$/],
    ["wait_for_payment", { reference: "A-1", timeout: "1ms" }, /No payment has this reference.*action requests/],
    ["explain_payment", { checkout_request_id: "ws_CO_1" }, /no payment with this .*list_payments.*action requests/],
    ["connect", { lang: "PHP" }, /connect takes language only$/],
    ["connect", { language: "Go" }, /language: must be one of curl, .*; it is "Go"$/],
    ["list_payments", { search: {} }, /^search must be text or a number, or left out; it is an object$/],
    ["start_payment", { phone: "1", amount: 0 }, /phone must be .*; amount must be/],
    ["customer", ANSWER, /checkout_request_id is missing/],
    ["customer", { ...ANSWER, checkout_request_id: "ws_CO_1" }, /no prompt with this .*list_payments/],
    ["state", { action: "remove", name: "../faults" }, /^there is no snapshot "..\/faults"; none is saved$/],
    ["faults", { action: "remove", id: 7 }, /^there is no fault with the id "7"; .* faults with action list$/],
    ["webhook", { action: "test" }, /there is no webhook .* The tool webhook with action set sets one$/],
    ["nothing", {}, /nothing/],
  ];
  let call: Assistant["call"];
  beforeAll(async () => ({ call } = await assistant()));

  // Without the arguments in its name: some are long.
  test.each(REFUSED)("%s, row %#", async (tool, given, message) => {
    const said = await call(tool, given).then(({ text }) => text, String);
    expect(said).toMatch(message);
  });
});

test("a frozen clock and an answered prompt name the tool that helps, and the requests show a refused payment", async () => {
  const { call } = await assistant();
  const { answer: connected } = await call("connect");
  const { MOMO_BASE_URL = "" } = connected.variables as Record<string, string>;
  await call("clock", { action: "set", freeze: true });
  const { checkout_request_id } = (await call("start_payment", { phone: PHONE, amount: 5 })).answer;
  const late = await call("wait_for_payment", { checkout_request_id, timeout: "1ms" });
  expect(late.text).toContain("The clock is frozen: call clock with action advance");
  await call("customer", { action: "answer", checkout_request_id, outcome: "cancelled" });
  const again = await call("customer", { action: "answer", checkout_request_id, pin: "1234" });
  expect(again.text).toMatch(/answered already: the payment is cancelled\. .*explain_payment/);
  await fetch(`${MOMO_BASE_URL}/stkpush.php`, { method: "POST", body: "{}" });
  expect((await call("audit", { action: "requests" })).answer.requests).toMatchObject([{ status: 401 }]);
});

test("whether a payment has a reference is decided by the whole reference, for every merchant", async () => {
  const { at, ready } = await serveMomo();
  await runMomo(["merchants", "create", "--name", "Other", ...at]);
  await runMomo(["accounts", "create", "--merchant", "2", "--name", "Till", ...at]);
  const { call } = await assistant({ MOMO_DATA: ready.data });
  const start = (payment_account_id: number, reference: string) =>
    call("start_payment", { phone: PHONE, amount: 5, outcome: "manual", payment_account_id, reference });
  const next = async (reference: string, until: string) =>
    (await call("wait_for_payment", { reference, until, timeout: "1ms" })).text.includes(
      "No payment has this reference",
    );
  await start(1, "ORDER-10");
  const { checkout_request_id } = (await start(2, "OTHER-1")).answer;
  expect([await next("ORDER-1", "final"), await next("OTHER-1", "final")]).toEqual([true, false]);
  await call("customer", { action: "answer", checkout_request_id, pin: "1234" });
  expect(await next("OTHER-1", "failed")).toBe(false);
});

test("the list of the tools is short, and describes each argument, also the members of rules and faults", async () => {
  const { client } = await assistant();
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools).length).toBeLessThan(22_000);
  expect(JSON.stringify(tools)).not.toMatch(/\[([A-Z])([a-z])\]/);
  const missing: string[] = [];
  const visit = (place: string, schema: { properties?: object; items?: object; description?: string }) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (!property.description) missing.push(`${place}.${name}`);
      visit(`${place}.${name}`, property);
    }
    if (schema.items) visit(place, schema.items);
  };
  for (const { name, inputSchema } of tools) visit(name, inputSchema as object);
  expect(missing).toEqual([]);
  const toolText = (tool: string) => JSON.stringify(tools.find(({ name }) => name === tool));
  expect(toolText("start_payment")).toContain("or manual: it stays pending");
  expect(toolText("rules")).toContain("left out: of every account");
});

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly default?: unknown;
}

/** The places of the arguments with a default, and the defaults. Of a list, the place is in its first entry. */
function defaultsIn(schema: Schema, place: readonly string[] = []): [place: string[], value: unknown][] {
  const members = Object.entries({ ...schema.properties, ...(schema.items && { 0: schema.items }) });
  const inside = members.flatMap(([name, member]) => defaultsIn(member, [...place, name]));
  return schema.default === undefined ? inside : [[[...place], schema.default], ...inside];
}

test("an argument that is left out has the default that its tool declares", async () => {
  const { call, client } = await assistant({ MOMO_PAYMENT_ACCOUNT_ID: "1" });
  await call("clock", { action: "set", freeze: true });
  const order = { phone: PHONE, amount: 5, outcome: "manual" };
  const { checkout_request_id } = (await call("start_payment", order)).answer;
  await call("customer", { action: "answer", checkout_request_id, outcome: "cancelled" });
  const GIVEN: Record<string, Answer> = {
    start_payment: order,
    wait_for_payment: { checkout_request_id },
    "rules action": {},
    rules: { action: "add", rules: [{ outcome: "cancelled" }] },
    "faults action": {},
    faults: { action: "add", faults: [{ kind: "error" }], seed: 1 },
    "webhook action": {},
    webhook: { action: "set", url: "http://127.0.0.1:9/none" },
    "webhook limit": { action: "show" },
    "audit over": { action: "report" },
    "audit limit": { action: "requests" },
  };
  async function answerTo(tool: string, given: Answer): Promise<unknown> {
    const { answer, text } = await call(tool, given);
    // A rule or a fault that is added again is one more, with another id.
    const { rules, faults, id: _id, ids: _ids, message: _message, ...others } = answer ?? {};
    const added = { ...[rules ?? [], faults ?? []].flat().at(-1), id: 0 };
    if (tool !== "start_payment") return answer ? { ...others, added } : text;
    const story = (await call("explain_payment", { checkout_request_id: answer.checkout_request_id })).answer;
    return { account: story.payment_account_id, kind: (story.transaction as Answer).kind };
  }
  const declared: string[] = [];
  for (const { name: tool, inputSchema } of (await client.listTools()).tools) {
    for (const [place, value] of defaultsIn(inputSchema as Schema)) {
      const argument = [tool, ...place].join(" ");
      declared.push(argument);
      const leftOut = GIVEN[argument] ?? GIVEN[tool] ?? {};
      const given = structuredClone(leftOut);
      const last = place.pop() ?? "";
      place.reduce((inside, name) => inside[name] as Answer, given)[last] = value;
      expect(await answerTo(tool, leftOut), argument).toEqual(await answerTo(tool, given));
    }
  }
  expect(declared).toEqual([
    ...["connect language", "start_payment payment_account_id", "start_payment kind"],
    ...["list_payments page", "list_payments limit", "wait_for_payment until", "wait_for_payment timeout"],
    ...["rules action", "rules rules 0 match", "customer action"],
    ...["faults action", "faults faults 0 probability", "webhook action"],
    ...["webhook limit", "webhook form", "webhook times", "webhook delay", "webhook early"],
    ...["clock action", "state action", "audit action", "audit over", "audit whole", "audit limit"],
  ]);
});

const call = (id: number, name: string, given: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: given },
});

test("a line that is too long is refused, whatever else is wrong is left to the protocol's package, and the others go on", async () => {
  const { say, until } = await startSession();
  const deep = `{"rules":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
  await say(
    "x".repeat(1024 * 1024 + 1),
    "",
    "{",
    "null",
    [],
    {},
    call(2, "constructor", {}),
    call(5, "__proto__", {}),
    call(6, "clock", []),
    { jsonrpc: "2.0", id: 8, method: "tools/call" },
    { jsonrpc: "2.0", id: 9, method: "ping", params: [] },
    { jsonrpc: "2.0", id: 11, method: 7 },
    { jsonrpc: "2.0", id: "12", result: 7 },
    { jsonrpc: "2.0", id: 13, method: "resources/read", params: { uri: {} } },
    `{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"rules","arguments":${deep}}}`,
    call(4, "clock", { action: "show" }),
  );
  const lines = await until(/"id":4}\n/);
  expect(lines).toContain(
    '"id":null,"error":{"code":-32600,"message":"a message must have at most 1048576 bytes; it has 1048577"}',
  );
  for (const id of [2, 5, 6, 8, 13]) expect(lines).toContain(`"id":${id},"error":{"code":-326`);
  expect(lines).toMatch(/"isError":true},"jsonrpc":"2.0","id":15}/);
  for (const line of lines.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test.skipIf(process.platform !== "linux")("a line without an end takes no memory beyond the bound", async () => {
  const { child, say, until } = await startSession();
  const mostBytes = () => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024;
  const before = mostBytes();
  const part = "x".repeat(1024 * 1024);
  for (let sent = 0; sent < 512; sent += 1) {
    await child.stdin.write(part);
    await child.stdin.flush();
  }
  await say("");
  await until(/it has 536870912/);
  expect(mostBytes() - before).toBeLessThan(256 * 1024 * 1024);
});

test("one wait too many is refused, and the others go on", async () => {
  const { say, until } = await startSession();
  for (let id = 100; id < 151; id += 1) await say(call(id, "wait_for_payment", { reference: "none", timeout: "1h" }));
  await say(call(4, "clock", { action: "show" }));
  await until(/under way/);
  const lines = await until(/"id":4}\n/);
  expect(lines.match(/50 waits are under way, the most at once/g)).toHaveLength(1);
});

test("waits that are over leave room for others", async () => {
  const { call } = await assistant();
  const ended = Array.from({ length: 51 }, () => ["wait_for_payment", { reference: "none", timeout: "1ms" }] as const);
  for (const [name, given] of ended) expect((await call(name, given)).text).toMatch(/No payment has this reference/);
});

test("a long list is cut to a bounded answer that says how many entries are left out", () => {
  const rules = Array.from({ length: 1000 }, (_, n) => ({ match: { reference: `ORDER-${n}` }, outcome: "cancelled" }));
  const answer = bounded({ message: "", rules }) as { rules: object[]; entries_left_out: { rules: number } };
  expect(JSON.stringify(answer).length).toBeWithin(5000, 21_000);
  expect(answer.rules[0]).toEqual(rules[0]);
  expect(answer.rules.length + answer.entries_left_out.rules).toBe(1000);
});

test.each(["prompts", "requests", "webhooks", "deliveries"])("of many %s, oldest first, the newest stay", (name) => {
  const entries = Array.from({ length: 1000 }, (_, n) => ({ reference: `ORDER-${n}` }));
  const answer = bounded({ message: "", [name]: entries }) as Record<string, object[]>;
  expect(answer[name]?.at(0)).toEqual({ reference: "ORDER-0" });
  expect(answer[name]?.at(-1)).toEqual({ reference: "ORDER-999" });
});

test("characters that nobody sees reach an assistant as their escapes", () => {
  const text = String.raw`A\u202eB\udb40\udc41\u001bC`;
  expect(bounded({ list: [{ reference: "A\u202eB\u{E0041}\u001bC" }], message: "two\nlines" })).toEqual({
    list: [{ reference: text }],
    message: "two\nlines",
  });
});
