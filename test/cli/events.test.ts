import { afterAll, expect, jest, spyOn, test } from "bun:test";
import { openEvents } from "../../cli/client/client.ts";
import { followEvents, type SandboxEvent } from "../../cli/client/follow.ts";
import { serverAt } from "../../cli/client/server.ts";
import { callCommand } from "../../cli/commands/calls.ts";
import { cleanUp, later } from "../support/cleanup.ts";
import { hang, serveFake, startReceiver } from "../support/fake-server.ts";
import { TestIo } from "../support/io.ts";
import { KEYS, openPlain, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { inTime, rejectionOf, until } from "../support/waiting.ts";

afterAll(cleanUp);

test("a stream of events that has begun does not end because nothing happens for an hour", async () => {
  let send = (_text: string) => {};
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch() {
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          send = (text) => stream.enqueue(new TextEncoder().encode(text));
          send("first");
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  later(() => server.stop(true));
  jest.useFakeTimers();
  try {
    const controlUrl = `http://127.0.0.1:${server.port}`;
    const target = { controlUrl, controlToken: null, server: serverAt(controlUrl, fetch) };
    const reader = (await openEvents(target)).getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await next()).toBe("first");
    for (let second = 0; second < 3600; second += 1) jest.advanceTimersByTime(1000);
    send("later");
    expect(await next()).toBe("later");
    await reader.cancel();
  } finally {
    jest.useRealTimers();
  }
});

test("a stream with a heartbeat each 15 s goes on; one that is silent for 40 s is lost", async () => {
  let beat = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(to) {
      beat = () => to.enqueue(new TextEncoder().encode(": \n\n"));
    },
  });
  const gone = () => {
    throw new Error("gone");
  };
  const seen: string[] = [];
  const stop = new AbortController();
  jest.useFakeTimers();
  try {
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        jest.advanceTimersByTime(1000);
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      }
    };
    void followEvents(gone, stream, ({ name }) => void seen.push(name), stop.signal);
    for (let beats = 0; beats < 10; beats += 1) {
      beat();
      await pass(15);
    }
    expect(seen).toEqual(["connected"]);
    await pass(41);
    expect(seen).toEqual(["connected", "lost"]);
  } finally {
    stop.abort();
    jest.useRealTimers();
  }
});

test("a server that never answers is given up after ten seconds", async () => {
  const { baseUrl } = serveFake(hang);
  jest.useFakeTimers();
  const failed = rejectionOf(openEvents({ controlUrl: baseUrl, controlToken: null, server: serverAt(baseUrl, fetch) }));
  for (let second = 0; second < 12; second += 1) jest.advanceTimersByTime(1000);
  jest.useRealTimers();
  const message = expect.stringMatching(/did not answer within 10s$/);
  expect(await failed).toMatchObject({ code: "unreachable", message });
});

test("momo tail follows the payments, also after the server starts again", async () => {
  const server = await serveMomo();
  const { screen, type, exited } = openPlain(["tail", ...server.at]);
  const table = openPlain(["tail", "--format", "tsv", ...server.at], { columns: 2000 });
  const json = openPlain(["tail", "--json", ...server.at], { columns: 2000 });
  const ids = openPlain(["tail", "-q", ...server.at]);
  for (const one of [screen, table.screen, json.screen, ids.screen]) await one.until(/Following/);
  await server.pay({}, "cancelled; after=0ms");
  await screen.until(/#1 • asks the customer[\s\S]*#1 ✗ cancelled/);
  await table.screen.until(/cancelled/);
  expect(table.screen.text.match(/checkout_request_id/g)).toHaveLength(1);
  await json.screen.until(/^\{.*"status":"pending".*\}\r\n\{.*"status":"cancelled".*\}\r\n/m);
  await ids.screen.until(/^(ws_CO_\w+)\r\n\1\r\n/m);
  // A change that is no reset.
  expect(await runMomo(["default", "set", "manual", ...server.at])).toMatchObject({ exitCode: 0 });
  await server.control("POST", "/reset");
  await screen.until(/The sandbox was reset\./);
  await server.kill();
  await screen.until(/The server has gone; waiting for it/);
  const again = await serveMomo([...server.at]);
  await screen.until(/The server is back\./);
  await again.pay();
  await screen.until(/#2 • asks/);
  expect(screen.text.match(/was reset/g)).toHaveLength(1);
  type(KEYS.ctrlC);
  expect(await exited).toBe(130);
});

test("an event that is not JSON ends the connection, as if it was lost; one whose bytes come one by one is whole", async () => {
  const bytes = new TextEncoder().encode('event: x\ndata: {"a":"é"}\n\ndata: {\n\nevent: y\ndata: {}\n\n');
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const stopped = new AbortController();
  const events: SandboxEvent[] = [];
  const target = () => expect.unreachable("it was stopped");
  const onEvent = (event: SandboxEvent) => void (events.push(event) === 3 && stopped.abort());
  await followEvents(target, stream, onEvent, stopped.signal);
  expect(events).toMatchObject([{ name: "connected" }, { name: "x", data: { a: "é" } }, { name: "lost" }]);
});

test.each([
  ["reads", new ReadableStream<Uint8Array>(), "connected"],
  ["connects", new Blob([]).stream(), "connected,lost"],
])("a command that follows the events ends at once when it is stopped while it %s", async (what, first, seen) => {
  const server = serveFake(hang);
  const target = () => ({ controlUrl: server.baseUrl, controlToken: null, server: serverAt(server.baseUrl, fetch) });
  const stop = new AbortController();
  const names: string[] = [];
  const following = followEvents(target, first, ({ name }) => void names.push(name), stop.signal);
  while (what === "connects" && server.requests.length === 0) await Bun.sleep(5);
  stop.abort();
  await inTime(following, () => "it still follows");
  expect(names.join()).toBe(seen);
});

/** The first message is refused, the others are accepted. */
const refuseFirst = (nth: number) => new Response("", { status: nth === 1 ? 500 : 200 });

test.concurrent("momo serve --webhook: each final payment is POSTed there, without a proxy; each attempt is a line of the log, without the address", async () => {
  const receiver = startReceiver(refuseFirst);
  const proxy = serveFake(() => new Response("proxy", { status: 502 }));
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const flags = ["--webhook", `${receiver.url}?token=abc`, "--after", "1ms", "--log-format", "json"];
  const server = await serveMomo(flags, { env });
  const id = await server.pay();
  const attempts = async () => {
    const lines = server.child.stderr.text.split("\n");
    return lines.filter((line) => line.includes('"webhook"')).map((line) => JSON.parse(line) as object);
  };
  await until(attempts, ({ length }) => length === 1);
  // The next attempt is made after a second of the sandbox's clock.
  await server.control("POST", "/clock", { advance: "1s" });
  expect(await until(attempts, ({ length }) => length === 2)).toMatchObject([
    { webhook: 1, state: "waiting", attempt: 1, status: 500, message: "only 2xx counts as delivered" },
    { webhook: 1, state: "delivered", attempt: 2, status: 200 },
  ]);
  const listed = await runMomo(["webhooks", "list", "--format", "table", ...server.at]);
  expect(listed.stdout).toMatch(/ delivered +2 .* 200\n/);
  expect(receiver.received[1]?.body.data).toMatchObject({ checkout_request_id: id, status: "completed" });
  expect(server.child.stderr.text).not.toContain("token=abc");
  expect(proxy.requests).toEqual([]);
});

test("a command that follows the events asks for those that it missed, however often it tries to reconnect", async () => {
  const event = "id: b-7\nevent: transaction\ndata: {}\n\nevent: other\ndata: {}\n\n";
  const headers = { "Content-Type": "text/event-stream" };
  const server = serveFake(() => new Response(event, { status: server.requests.length === 2 ? 503 : 200, headers }));
  const target = () => ({ controlUrl: server.baseUrl, controlToken: null, server: serverAt(server.baseUrl, fetch) });
  const stop = new AbortController();
  const seen: string[] = [];
  const onEvent = ({ name }: SandboxEvent) => {
    if (seen.push(name) === 5) stop.abort();
  };
  await followEvents(target, await openEvents(target()), onEvent, stop.signal);
  expect(seen.slice(0, 5)).toEqual(["connected", "transaction", "other", "lost", "connected"]);
  const behind = server.requests.map((one) => one.headers.get("Last-Event-ID"));
  expect(behind.slice(0, 3)).toEqual([null, "b-7", "b-7"]);
});

test.concurrent("momo tail says that payments are left out", async () => {
  const headers = { "Content-Type": "text/event-stream" };
  const server = serveFake(() => new Response("event: gap\ndata: {}\n\n", { headers }));
  const { stderr } = startMomo(["tail", "--base-url", server.baseUrl]);
  await stderr.until(
    /^Some payments are left out here\.\nThe server has gone; waiting for it …\nThe server is back\.\n/,
  );
});

test("a move of the clock may take ten minutes, and a snapshot one", async () => {
  const { baseUrl } = serveFake(() => Response.json({ success: false, message: "no" }, { status: 500 }));
  const at = ["--base-url", baseUrl];
  const timeout = spyOn(AbortSignal, "timeout");
  await rejectionOf((await callCommand(new TestIo(), "clock")).parseAsync(["advance", "1s", ...at], { from: "user" }));
  await rejectionOf((await callCommand(new TestIo(), "snapshot")).parseAsync(["save", "a", ...at], { from: "user" }));
  for (const ms of [600_000, 60_000]) expect(timeout.mock.calls).toContainEqual([ms]);
  timeout.mockRestore();
});
