import { afterAll, expect, spyOn, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, InMemoryTransport, type ToolAnnotations } from "@modelcontextprotocol/client";
import { serverAt } from "../../cli/client/server.ts";
import { createServer } from "../../cli/mcp/server.ts";
import { TOOLS } from "../../cli/mcp/tools.ts";
import { acquireLock } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { flagsOf, hang, serveFake } from "../support/fake-server.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { inTime, PATIENCE_MS, turns, until } from "../support/waiting.ts";
import { type Answer, assistant, startSession } from "./assistant.ts";

/** `momo mcp`: the compiled executable, and the client of the protocol's own package. */

afterAll(cleanUp);

const PHONE = "0712345678";

test("an assistant starts a payment, cancels it as the customer, has it explained, and reads the audit", async () => {
  const { call } = await assistant();
  const { answer: connected } = await call("connect", { language: "Python" });
  const { MOMO_BASE_URL = "", MOMO_API_KEY = "", MOMO_API_SECRET = "" } = connected.variables as Record<string, string>;
  expect(connected.example).toContain("import http.client");
  const order = { phone: PHONE, amount: 100, kind: "web", outcome: "manual" };
  const { checkout_request_id } = (await call("start_payment", order)).answer;
  expect((await call("customer", { action: "prompts" })).answer.prompts).toMatchObject([{ phone: "254712345678" }]);
  await call("customer", { action: "answer", checkout_request_id, outcome: "cancelled" });
  expect((await call("wait_for_payment", { checkout_request_id })).answer.transaction).toMatchObject({
    ...{ status: "cancelled", kind: "web" },
  });
  const story = (await call("explain_payment", { checkout_request_id })).answer;
  expect(story.result).toMatchObject({ code: 1032, advice: expect.any(String) });
  expect((await call("list_payments", { status: "cancelled" })).answer.transactions).toHaveLength(1);

  const headers = { "X-API-Key": MOMO_API_KEY, "X-API-Secret": MOMO_API_SECRET };
  await fetch(`${MOMO_BASE_URL}/status.php`, { headers });
  const { findings } = (await call("audit", { action: "report" })).answer;
  expect(findings).toMatchObject([
    { kind: "nothing_accepted", severity: "note" },
    { kind: "wrong_method", severity: "error" },
  ]);
});

test("every action of every tool answers once, as text, and nothing but connect shows a secret", async () => {
  const { client, call } = await assistant();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["connect", ...Object.keys(TOOLS)]);
  expect(tools.length).toBeLessThanOrEqual(14);
  const namesOf = (is: (annotations: ToolAnnotations) => boolean | undefined) =>
    tools.filter(({ annotations }) => annotations && is(annotations)).map(({ name }) => name);
  expect(namesOf(({ readOnlyHint }) => readOnlyHint)).toEqual([
    ...["connect", "explain_payment", "list_payments", "wait_for_payment"],
  ]);
  expect(namesOf(({ destructiveHint }) => destructiveHint)).toEqual(["rules", "faults", "webhook", "state", "audit"]);
  for (const { annotations, outputSchema } of tools) {
    expect(annotations).toMatchObject({ openWorldHint: false });
    // A client may repeat an idempotent call: a payment is none.
    expect(annotations?.idempotentHint === true && !annotations.readOnlyHint).toBe(false);
    // It would demand a second copy of each answer.
    expect(outputSchema).toBeUndefined();
  }
  const { MOMO_API_SECRET: secret = "" } = (await call("connect")).answer.variables as Record<string, string>;
  expect(secret).toStartWith("ms_");
  const { checkout_request_id } = (
    await call("start_payment", { phone: PHONE, amount: 9, reference: secret, outcome: "manual" })
  ).answer;
  const GIVEN: Record<string, Answer> = {
    explain_payment: { checkout_request_id },
    wait_for_payment: { checkout_request_id, until: "pending" },
    start_payment: { phone: PHONE, amount: 5 },
    "customer answer": { checkout_request_id, pin: "1234" },
    "rules add": { rules: [{ outcome: "cancelled", times: 1 }] },
    "rules remove": { id: 1 },
    "clock set": { advance: "60s" },
    "clock advance": { advance: "60s" },
    "faults add": { faults: [{ kind: "error", status: 503, path: "/status.php" }] },
    "faults remove": { id: "1" },
    "webhook set": { url: "http://127.0.0.1:9/none" },
    "webhook resend": { delivery_id: "1" },
    "state save": { name: "one" },
    "state restore": { name: "one" },
    "state remove": { name: "one" },
  };
  const answers: string[] = [];
  for (const [name, { actions }] of Object.entries(TOOLS)) {
    // What is removed is there until then.
    const last = (action: string) => ["remove", "clear"].indexOf(action);
    for (const action of Object.keys(actions).toSorted((a, b) => last(a) - last(b))) {
      const isOnly = Object.keys(actions).length === 1;
      const given = GIVEN[isOnly ? name : `${name} ${action}`] ?? {};
      const { text, isError, answer } = await call(name, isOnly ? given : { action, ...given });
      answers.push(text);
      if (name === "webhook" && action === "resend") continue; // nothing was delivered
      expect({ name, action, text: isError ? text : "", message: answer?.message }).toEqual({
        ...{ name, action, text: "", message: expect.any(String) },
      });
    }
  }
  expect(answers.join()).not.toContain(secret);
});

/** An assistant of a sandbox that answers a wait as the test says. */
function assistantWith(answerWait: (request: Request) => Promise<Response>) {
  const server = serveFake((request) =>
    request.url.endsWith("/wait") ? answerWait(request) : Response.json({ success: true, message: "" }),
  );
  return assistant({}, flagsOf(server));
}

test("a wait may take ten minutes, and reports its progress each 2 s until it ends", async () => {
  const asked = Promise.withResolvers<void>();
  const waited = Promise.withResolvers<Response>();
  const { baseUrl } = serveFake(() => {
    asked.resolve();
    return waited.promise;
  });
  const server = serverAt(baseUrl, fetch);
  const target = {
    baseUrl,
    controlUrl: baseUrl,
    controlToken: null,
    apiKey: "",
    apiSecret: "",
    paymentAccountId: 1,
    server,
  };
  const clock = createManualClock(0);
  const momo = createServer(
    { target, isPrivate: false, isNew: false, find: () => target, stop: async () => {} },
    clock,
  );
  const client = new Client({ name: "test", version: "1" });
  const [own, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([momo.connect(other as never), client.connect(own)]);
  Object.assign(client, { _requestMessageId: 0 }); // a client may count its calls from 0
  const timeout = spyOn(AbortSignal, "timeout");
  const heard: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => void heard.push(progress);
  const call = client.callTool({ name: "wait_for_payment", arguments: {} }, { onprogress, timeout: PATIENCE_MS });
  await inTime(asked.promise, () => "the sandbox was not asked to wait");
  expect(timeout.mock.calls).toEqual([[600_000]]);
  timeout.mockRestore();
  for (let times = 1; times <= 3; times += 1) {
    clock.advance(1999);
    await turns(5);
    expect(heard).toHaveLength(times - 1);
    clock.advance(1);
    await until(() => heard.length === times && clock.alarmsAtMs.length === 1);
  }
  waited.resolve(Response.json({ success: false, message: "not yet" }, { status: 400 }));
  expect((await call).content).toMatchObject([{ text: "not yet" }]);
  expect({ heard, alarms: clock.alarmsAtMs }).toEqual({ heard: [1, 2, 3], alarms: [] });
  await client.close();
});

test.concurrent("a wait that the assistant cancels ends in the sandbox, too", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>();
  const { call } = await assistantWith(({ signal }) => {
    resolve(signal);
    return hang();
  });
  const stop = new AbortController();
  const waiting = call("wait_for_payment", {}, { signal: stop.signal }).catch(String);
  const asking = await inTime(asked, () => "the sandbox was not asked to wait");
  stop.abort("enough");
  expect(await waiting).toContain("enough");
  await until(() => asking.aborted);
  expect((await call("clock", { action: "show" })).text).toBe('{"message":""}');
});

test.concurrent("where the record of a killed sandbox is left, a private one is started, but not in place of one that is busy", async () => {
  const server = await serveMomo(["--data", newFolder()]);
  await server.kill();
  const env = { MOMO_DATA: server.ready.data };
  const { call } = await assistant(env);
  expect((await call("connect")).answer.lifetime).toContain("ends with this assistant");
  const { port } = serveFake(() => new Response("", { status: 502 })); // it is there, but does not answer now
  const record = join(server.ready.data, "server.json");
  writeFileSync(record, readFileSync(record, "utf8").replaceAll(/127\.0\.0\.1:\d+/g, `127.0.0.1:${port}`));
  const release = acquireLock(join(server.ready.data, "momo.lock"));
  expect((await runMomo(["mcp"], { env })).exitCode).toBe(6);
  release();
});

test.concurrent("where no server runs on the named directory, each call says so, and how to start one, and finds it then", async () => {
  const data = newFolder();
  const { client, call } = await assistant({}, ["--data", data]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("start_payment");
  const why = `no sandbox is running on ${data} (start one with momo serve --data ${data}, or name one with --base-url or MOMO_BASE_URL)`;
  for (const tool of ["connect", "rules", "audit"]) {
    expect(await call(tool)).toEqual({ isError: true, text: why, answer: undefined as never });
  }
  const server = await serveMomo(["--data", data]);
  expect((await call("connect")).answer.variables).toMatchObject({ MOMO_BASE_URL: server.ready.base_url });
  expect((await call("start_payment", { phone: PHONE, amount: 5 })).answer).toMatchObject({ transaction_id: 1 });
});

test.concurrent("a named server that does not answer, or refuses the token, is named by each call", async () => {
  const { call } = await assistant({}, flagsOf({ baseUrl: "http://127.0.0.1:1/v2" }));
  expect((await call("clock")).text).toStartWith("nothing answers at http://127.0.0.1:1 (start it with momo serve");
  const server = serveFake(() => Response.json({ success: false, message: "no" }, { status: 401 }));
  const refused = await assistant({}, flagsOf(server));
  expect((await refused.call("clock")).text).toContain("MOMO_CONTROL_TOKEN");
});

test.concurrent("a lost answer to a payment may have been carried out; one to a list changed nothing", async () => {
  const server = serveFake((request) =>
    new URL(request.url).pathname.endsWith("/clock")
      ? Response.json({ success: true, message: "" })
      : new Response("", { status: 502 }),
  );
  const { call } = await assistant({}, flagsOf(server));
  expect((await call("start_payment", { phone: PHONE, amount: 1 })).text).toContain("may have been carried out");
  expect((await call("rules", { action: "clear" })).text).toContain("may have been carried out");
  expect((await call("list_payments")).text).toContain("nothing was changed");
});

test.concurrent("two assistants use one running sandbox; when it stops, they are told, and it is not replaced", async () => {
  const server = await serveMomo(["--data", newFolder()]);
  const env = { MOMO_DATA: server.ready.data };
  const [one, other] = [await assistant(env), await assistant(env)];
  await one.call("rules", { action: "add", rules: [{ outcome: "cancelled" }] });
  expect((await other.call("rules", { action: "list" })).answer.rules).toHaveLength(1);
  expect((await other.call("connect")).answer.lifetime).toContain("on its own");
  await server.stop("SIGTERM");
  const { text, isError } = await one.call("clock", { action: "show" });
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringMatching(/^no sandbox is running on .*momo serve/),
  });
});

test.concurrent("start_payment uses the account that the environment names", async () => {
  const { at, ready } = await serveMomo();
  await runMomo(["accounts", "create", "--name", "Till", ...at]);
  const { call } = await assistant({ MOMO_DATA: ready.data, MOMO_PAYMENT_ACCOUNT_ID: "2" });
  const { checkout_request_id } = (await call("start_payment", { phone: PHONE, amount: 5 })).answer;
  expect((await call("explain_payment", { checkout_request_id })).answer).toMatchObject({ payment_account_id: 2 });
});

test.concurrent("resources are what momo help prints, and prompts are three tasks", async () => {
  const { client } = await assistant();
  const { resources } = await client.listResources();
  for (const { uri, name } of resources) {
    const [content] = (await client.readResource({ uri })).contents;
    const { text } = content as { text: string };
    expect((await runMomo(["help", name])).stdout).toEndWith(text); // of a command with this name, after its usage
  }
  expect(resources.map(({ name, mimeType }) => `${name} ${mimeType}`)).toEqual([
    ...["api text/markdown", "audit text/markdown", "testing text/markdown", "llms.txt text/plain"],
  ]);
  const { prompts } = await client.listPrompts();
  expect(prompts).toHaveLength(3);
  for (const { name, arguments: [argument] = [] } of prompts) {
    const given = await client.getPrompt({ name, arguments: { [argument?.name ?? ""]: "make test" } });
    expect(JSON.stringify(given)).toContain("make test");
    const unnamed = JSON.stringify(await client.getPrompt({ name }));
    expect(unnamed).not.toContain("undefined");
    for (const [uri] of unnamed.matchAll(/momo:[\w:/.]+\w/g)) await client.readResource({ uri });
  }
  const usual = await client.getPrompt({ name: "prove_that_this_client_is_right" });
  expect(JSON.stringify(usual)).toContain("momo exec --audit=warning -- npm test");
});

test("requests that came before the end of the input are answered, the last one also without a line break", async () => {
  const { child, until } = await startSession();
  const params = { name: "clock", arguments: { action: "show" } };
  const [first, last] = [3, 4].map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
  await child.stdin.write(`${first}\n${last}`);
  await child.stdin.end();
  expect(await until(/"id":4/)).toContain('"id":3');
});

test.each(["SIGTERM", "SIGINT", "SIGHUP", "no more input", "a client that reads no more"] as const)(
  "%s ends the sandbox and its folder; standard output has the protocol only, an older version too",
  async (end) => {
    const { child, reader, say, until, left } = await startSession();
    await say("nonsense", { jsonrpc: "2.0", id: 1, method: "ping" });
    const output = await until(/"id":1}/);
    for (const line of output.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(output).toContain('"protocolVersion":"2024-11-05"');
    expect(left()).toHaveLength(1);
    if (end === "no more input") await child.stdin.end();
    else if (end === "a client that reads no more") await reader.cancel();
    else child.kill(end);
    expect(await child.exited).toBe(0);
    expect(left()).toEqual([]);
  },
);
