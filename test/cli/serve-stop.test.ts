import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { connectTo } from "../support/connection.ts";
import { type Served, serveMomo } from "../support/momo.ts";
import { SLACK_MS } from "../support/time-outs.ts";

afterAll(cleanUp);

const BODY = '{"payment_account_id":1,"phone":"0712345678","amount":1}';

/** A request that starts a payment, as bytes on the wire. */
function requestTo({ ready }: Served): string {
  return [
    "POST /v2/stkpush.php HTTP/1.1",
    "Host: 127.0.0.1",
    `X-API-Key: ${ready.api_key}`,
    `X-API-Secret: ${ready.api_secret}`,
    "Content-Type: application/json",
    `Content-Length: ${BODY.length}`,
    "",
    BODY,
  ].join("\r\n");
}

async function stopsWithin3s(server: Served, signal: "SIGINT" | "SIGTERM"): Promise<void> {
  const startedMs = performance.now();
  const exitCode = await server.stop(signal);
  const tookMs = performance.now() - startedMs;
  expect(exitCode).toBe(0);
  expect(tookMs).toBeLessThan(3000 + SLACK_MS);
  // The database was closed: its log is folded in, and nobody is told of a server that is gone.
  expect(readdirSync(server.ready.data).sort()).toEqual(["credentials.json", "momo.db", "momo.lock"]);
}

/** What was sent before has been read then: connections are served in their order. */
async function untilRead({ ready }: Served): Promise<void> {
  for (let asked = 0; asked < 2; asked += 1) await fetch(`${ready.control_url}/health`, { keepalive: false });
}

/** Then it has taken notice of the signal, however busy the machine is. */
async function untilItStopsAccepting(server: Served): Promise<void> {
  for (;;) {
    const accepted = await connectTo(server.ready.base_url).then(
      () => true,
      () => false,
    );
    if (!accepted) return;
    await Bun.sleep(5);
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  describe(`${signal}: exit 0 within 3 s`, () => {
    test.concurrent("idle, when there is nothing to wait for", async () => {
      await stopsWithin3s(await serveMomo(), signal);
    });

    test.concurrent("with an open keep-alive connection, which is closed", async () => {
      const server = await serveMomo();
      const connection = await connectTo(server.ready.base_url);
      connection.write(requestTo(server));
      await connection.received.until(/"success":true/);
      await stopsWithin3s(server, signal);
      await connection.closed;
    });

    test.concurrent("with a stalled, half-sent request", async () => {
      const server = await serveMomo();
      const connections = await Promise.all([1, 2].map(() => connectTo(server.ready.base_url)));
      connections[0]?.write(requestTo(server).slice(0, 40));
      connections[1]?.write(requestTo(server).slice(0, -10));
      await untilRead(server);
      await stopsWithin3s(server, signal);
    });

    test.concurrent("with a request in flight, which is answered", async () => {
      const server = await serveMomo();
      const connection = await connectTo(server.ready.base_url);
      connection.write(requestTo(server).slice(0, -10));
      await untilRead(server);
      const stopping = stopsWithin3s(server, signal);
      await untilItStopsAccepting(server);
      connection.write(requestTo(server).slice(-10));
      await connection.received.until(/^HTTP\/1\.1 200 [\s\S]*"success":true/);
      await stopping;
      const again = await serveMomo(server.at);
      const list = (await (await again.get("/transactions.php")).json()) as { pagination: { total_items: number } };
      expect(list.pagination.total_items).toBe(1);
    });
  });
}

test.concurrent("a client that goes away in the middle of its request is no fault of the server's: nothing is told", async () => {
  const server = await serveMomo();
  const connection = await connectTo(server.ready.base_url);
  connection.write(requestTo(server).slice(0, -10));
  await untilRead(server);
  connection.end();
  await untilRead(server);
  expect(await server.stop()).toBe(0);
  expect(server.child.stderr.text).toBe("");
});

test.concurrent("it stops accepting as soon as it stops", async () => {
  const server = await serveMomo();
  const stalled = await connectTo(server.ready.base_url);
  stalled.write(requestTo(server).slice(0, -10));
  await untilRead(server);
  server.child.signal("SIGTERM");
  await untilItStopsAccepting(server);
  // It has not ended: what was under way is still answered.
  stalled.write(requestTo(server).slice(-10));
  await stalled.received.until(/^HTTP\/1\.1 200 /);
  expect(await server.child.exited).toBe(0);
});

test.concurrent("while it stops, health tells draining from serving: 503 on a connection that is still open", async () => {
  const server = await serveMomo();
  const [stalled, asking] = await Promise.all([1, 2].map(() => connectTo(server.ready.base_url)));
  stalled?.write(requestTo(server).slice(0, -10));
  asking?.write("GET /_momo/health HTTP/1.1\r\nHost: ");
  await untilRead(server);
  server.child.signal("SIGTERM");
  await untilItStopsAccepting(server);
  asking?.write("127.0.0.1\r\n\r\n");
  const [answer = ""] = (await asking?.received.until(/^HTTP\/1\.1 503 [\s\S]*\}/)) ?? [];
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
    success: false,
    message: "momo is stopping",
    status: "draining",
    version: packageJson.version,
    pid: server.ready.pid,
  });
  stalled?.write(requestTo(server).slice(-10));
  expect(await server.child.exited).toBe(0);
});

test.concurrent("a payment that a fault delays when the server stops is answered at once: 503, not carried out", async () => {
  const server = await serveMomo();
  await fetch(`${server.ready.control_url}/faults`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: '{"faults":[{"kind":"delay","delay":"1m","times":1}]}',
  });
  const delayed = server.post("/stkpush.php", JSON.parse(BODY));
  // The fault is used up when it strikes.
  const inForce = async () =>
    (await (await fetch(`${server.ready.control_url}/faults`)).json()) as { faults: unknown[] };
  while ((await inForce()).faults.length > 0);
  await stopsWithin3s(server, "SIGTERM");
  expect((await delayed).status).toBe(503);
  expect(await (await delayed).json()).toEqual({
    success: false,
    message: "the server stops; the operation was not carried out",
  });
  const again = await serveMomo(server.at);
  expect(await (await again.get("/transactions.php")).json()).toMatchObject({ pagination: { total_items: 0 } });
});

test.concurrent("what cannot be tidied up is told, and keeps nothing else from being closed", async () => {
  const readyFile = join(newFolder(), "ready.json");
  const server = await serveMomo(["--ready-file", readyFile]);
  const record = join(server.ready.data, "server.json");
  rmSync(record);
  mkdirSync(record);
  expect(await server.stop()).toBe(1);
  expect(server.child.stderr.text).toContain(record);
  // The database was closed, and its log folded in.
  expect(readdirSync(server.ready.data).sort()).toEqual(["credentials.json", "momo.db", "momo.lock", "server.json"]);
  expect(existsSync(readyFile)).toBe(false);
});

test.concurrent("a second signal ends at once: exit 130 for SIGINT, 143 for SIGTERM; nothing is left behind", async () => {
  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    const folder = newFolder();
    const flags = ["--ephemeral", "--ready-file", join(folder, "ready.json")];
    const server = await serveMomo(flags, { env: { TMPDIR: folder } });
    const stalled = await connectTo(server.ready.base_url);
    stalled.write(requestTo(server).slice(0, -10));
    await untilRead(server);
    server.child.signal(signal);
    await untilItStopsAccepting(server);
    await Bun.sleep(200); // what comes sooner is the same signal, passed on by npm
    server.child.signal(signal);
    // Had it waited for the request under way, it would have ended with 0.
    expect(await server.child.exited).toBe(exitCode);
    expect(readdirSync(folder)).toEqual([]);
  }
});

describe("`--ephemeral`: the folder is temporary", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    test.concurrent(`removed at the end, by ${signal}`, async () => {
      const temporary = newFolder();
      const server = await serveMomo(["--ephemeral"], { env: { TMPDIR: temporary } });
      expect(server.ready.data).toStartWith(temporary);
      expect(existsSync(join(server.ready.data, "momo.db"))).toBe(true);
      expect(await server.stop(signal)).toBe(0);
      expect(readdirSync(temporary)).toEqual([]);
    });
  }

  test.concurrent("removed too where the server cannot start", async () => {
    const temporary = newFolder();
    const { port } = new URL((await serveMomo()).ready.base_url);
    await serveMomo(["--ephemeral", "--port", port], { env: { TMPDIR: temporary } }).catch(() => {});
    expect(readdirSync(temporary)).toEqual([]);
  });
});
