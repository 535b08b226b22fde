import { afterAll, expect, jest, test } from "bun:test";
import { openEvents } from "../../cli/client/client.ts";
import { followEvents } from "../../cli/client/follow.ts";
import { BY_ADDRESS } from "../../cli/client/found.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { hang, serveFake } from "../support/fake-server.ts";
import { KEYS, openPlain, runMomo, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { rejectionOf } from "../support/waiting.ts";

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
    const target = { controlUrl: `http://127.0.0.1:${server.port}`, controlToken: null, found: BY_ADDRESS };
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
  const failed = rejectionOf(openEvents({ controlUrl: baseUrl, controlToken: null, found: BY_ADDRESS }));
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

test("an event that is not JSON ends the connection, as if it was lost", async () => {
  const stream = new Blob(['event: x\ndata: {"a":1}\n\ndata: {\n\nevent: y\ndata: {}\n\n']).stream();
  const stopped = new AbortController();
  const names: string[] = [];
  const target = () => expect.unreachable("it was stopped");
  await followEvents(
    target,
    stream,
    ({ name }) => {
      names.push(name);
      if (name === "lost") stopped.abort();
    },
    stopped.signal,
  );
  expect(names).toEqual(["connected", "x", "lost"]);
});

test("momo list asks as often for ten rows with their references as for one", async () => {
  const { origin, pay, headers } = await startIn(newFolder());
  for (let count = 0; count < 10; count += 1) await pay({ reference: `ORDER-${count}` });
  const relay = serveFake((request) => fetch(request.url.replace(new URL(request.url).origin, origin), request));
  const env = {
    MOMO_BASE_URL: relay.baseUrl,
    MOMO_CONTROL_URL: relay.baseUrl.replace("/v2", "/_momo"),
    MOMO_API_KEY: headers["X-API-Key"] ?? "",
    MOMO_API_SECRET: headers["X-API-Secret"] ?? "",
  };
  const asked = async (limit: string) => {
    const before = relay.requests.length;
    const { stdout } = await runMomo(["list", "--format", "table", "--limit", limit], { env });
    expect(stdout.match(/ORDER-/g)).toHaveLength(Number(limit));
    return relay.requests.length - before;
  };
  expect(await asked("10")).toBe(await asked("1"));
});
