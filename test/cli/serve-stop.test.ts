import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { connectTo } from "../support/connection.ts";
import { serveRaw } from "../support/fake-server.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { PROGRAM, type ReadyRecord, type Served, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { START_MS } from "../support/service.ts";
import { inTime, SLACK_MS, until } from "../support/waiting.ts";

/** How a server stops, and what ends it. */

afterAll(cleanUp);

const STOP_WITHIN_MS = 3000;
const PAYMENT = { payment_account_id: 1, phone: "0712345678", amount: 1 };
const CLOSED = ["credentials.json", "momo.db", "momo.lock"];

const isHealthy = async ({ control_url }: ReadyRecord) => (await fetch(`${control_url}/health`)).status === 200;

function paymentsIn(data: string, condition = "true"): number {
  const client = new Database(join(data, "momo.db"));
  const [row = []] = client.query(`SELECT count(*) FROM transactions WHERE ${condition}`).values();
  client.close();
  return Number(row[0]);
}

describe("stop", () => {
  test("ends a start that waits for a database which never answers", async () => {
    const asked = Promise.withResolvers<void>();
    const { port } = serveRaw(() => asked.resolve());
    const child = startMomo(["serve", "--port", "0", "--database", `postgres://u@127.0.0.1:${port}/x`]);
    await asked.promise;
    const startedMs = performance.now();
    child.signal("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(STOP_WITHIN_MS + SLACK_MS);
  });

  const BODY = JSON.stringify(PAYMENT);

  /** A request that starts a payment, as bytes on the wire. */
  const requestTo = ({ ready }: Served) =>
    [
      ...["POST /v2/stkpush.php HTTP/1.1", "Host: 127.0.0.1"],
      ...[`X-API-Key: ${ready.api_key}`, `X-API-Secret: ${ready.api_secret}`],
      ...["Content-Type: application/json", `Content-Length: ${BODY.length}`, "", BODY],
    ].join("\r\n");

  async function sendTo({ ready }: Served, text: string) {
    const connection = await connectTo(ready.base_url);
    connection.write(text);
    return connection;
  }

  /** When this returns, the server has read all earlier requests, because it serves connections in their order. */
  async function untilRead({ ready }: Served): Promise<void> {
    for (let asked = 0; asked < 2; asked += 1) await fetch(`${ready.control_url}/health`, { keepalive: false });
  }

  /** When this returns, the server has handled the signal. */
  async function untilItStopsAccepting({ ready }: Served): Promise<void> {
    while (await connectTo(ready.base_url).then(Boolean, () => false)) await Bun.sleep(5);
  }

  async function stopInTime(server: Served): Promise<void> {
    const startedMs = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(STOP_WITHIN_MS + SLACK_MS);
    // A request whose rest never came was refused.
    expect(server.child.stderr.text).toMatch(
      /^(?:[\d:]+ {2}400 .* the body ended before it was complete(?: {2}\(not delivered\))?\n)*$/,
    );
  }

  /** The machine took so long before a step that the stopping server may no longer wait for it. */
  class TooLate extends Error {}

  /** Runs steps that a stopping server waits for; again, if this machine was too slow for them. */
  async function inTheGrace(steps: (stopping: () => void, onTime: () => void) => Promise<void>): Promise<void> {
    for (let left = 20; ; left -= 1) {
      let stoppedMs = Number.POSITIVE_INFINITY;
      const stopping = () => {
        stoppedMs = performance.now();
      };
      const onTime = () => {
        if (performance.now() - stoppedMs > STOP_WITHIN_MS / 2) throw new TooLate();
      };
      try {
        await steps(stopping, onTime);
        return;
      } catch (error) {
        if (left === 0 || !(error instanceof TooLate)) throw error;
      }
    }
  }

  test.concurrent("two signals at once are one Ctrl+C, which npm passes on: the request in flight is answered", () =>
    inTheGrace(async (stopping, onTime) => {
      const server = await serveMomo();
      const request = requestTo(server);
      const paying = await sendTo(server, request.slice(0, -10));
      await untilRead(server);
      stopping();
      server.child.signal("SIGINT");
      server.child.signal("SIGTERM");
      await untilItStopsAccepting(server);
      paying.write(request.slice(-10));
      onTime();
      await paying.received.until(/^HTTP\/1\.1 200 /);
      expect(await server.child.exited).toBe(0);
    }));

  test.concurrent.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s ends an idle --ephemeral server with 0, and its temporary folder is removed",
    async (signal) => {
      const TMPDIR = newFolder();
      const { ready, child } = await serveMomo(["--ephemeral"], { env: { TMPDIR } });
      expect(ready.data).toStartWith(TMPDIR);
      expect(existsSync(join(ready.data, "momo.db"))).toBe(true);
      child.signal(signal);
      expect(await child.exited).toBe(0);
      expect(readdirSync(TMPDIR)).toEqual([]);
    },
  );

  test.concurrent("accepts nothing new, answers requests in flight, and closes idle and stalled connections in time", () =>
    inTheGrace(async (stopping, onTime) => {
      const server = await serveMomo();
      const request = requestTo(server);
      const idle = await sendTo(server, request);
      await idle.received.until(/"success":true/);
      await sendTo(server, request.slice(0, 40)); // half a head
      await sendTo(server, request.slice(0, -10)); // half a body
      const leaving = await sendTo(server, request.slice(0, -10));
      const paying = await sendTo(server, request.slice(0, -10));
      const asking = await sendTo(server, "GET /_momo/health HTTP/1.1\r\nHost: ");
      await untilRead(server);
      leaving.end();
      await untilRead(server);

      stopping();
      const stopped = stopInTime(server);
      await untilItStopsAccepting(server);
      asking.write("127.0.0.1\r\n\r\n");
      onTime();
      const [answer] = await asking.received.until(/^HTTP\/1\.1 503 [\s\S]*\}/);
      expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
        ...{ success: false, message: "momo is stopping", status: "draining" },
        ...{ id: server.ready.id, version: packageJson.version, pid: server.ready.pid },
      });
      paying.write(request.slice(-10));
      onTime();
      await paying.received.until(/^HTTP\/1\.1 200 [\s\S]*"success":true/);
      await stopped;
      await idle.closed;
      // The database was closed, and its log of writes is in it.
      expect(readdirSync(server.ready.data).sort()).toEqual(CLOSED);
      expect(paymentsIn(server.ready.data)).toBe(2);
    }));

  test.concurrent("answers a payment that waits for an early webhook", async () => {
    const server = await startIn(newFolder());
    await server.control("PUT", "/webhook", { url: "http://127.0.0.1:1/", early: true, delay: "1h" });
    const waiting = server.pay();
    while (((await server.control("GET", "/transactions")).transactions as unknown[]).length === 0);
    await server.stop();
    await waiting;
    expect(paymentsIn(server.at[1])).toBe(1);
  });

  test.concurrent("leaves what is in the place of its record, and closes everything else", async () => {
    const readyFile = join(newFolder(), "ready.json");
    const server = await serveMomo(["--ready-file", readyFile]);
    const record = join(server.ready.data, "server.json");
    rmSync(record);
    mkdirSync(record);
    expect(await server.stop()).toBe(0);
    expect(readdirSync(server.ready.data).sort()).toEqual([...CLOSED, "server.json"]);
    expect(existsSync(readyFile)).toBe(false);
  });

  test.concurrent.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("a second %s ends the server at once with %d, and nothing is left", (signal, exitCode) =>
    inTheGrace(async (stopping, onTime) => {
      const folder = newFolder();
      const flags = ["--ephemeral", "--ready-file", join(folder, "ready.json")];
      const server = await serveMomo(flags, { env: { TMPDIR: folder } });
      await sendTo(server, requestTo(server).slice(0, -10));
      await untilRead(server);
      stopping();
      server.child.signal(signal);
      await untilItStopsAccepting(server);
      await Bun.sleep(700); // within 500 ms it would count as the same signal, which npm passes on
      server.child.signal(signal);
      onTime();
      // If it waited for the request in flight, it would end with 0.
      expect(await server.child.exited).toBe(exitCode);
      expect(readdirSync(folder)).toEqual([]);
    }),
  );
});

test.concurrent("a server goes on when no process reads its standard output", async () => {
  const cwd = newFolder();
  // Only the write end of the pipe stays open.
  const program = ["sh", "-c", 'mkfifo pipe; exec 3<>pipe >pipe 3>&-; exec "$@"', "sh", ...PROGRAM];
  const child = startMomo(["serve", "--ephemeral", "--port", "0", "--ready-file", "ready.json"], { program, cwd });
  const file = join(cwd, "ready.json");
  while (!existsSync(file) && child.stderr.text === "") await Bun.sleep(5);
  expect(await isHealthy(await Bun.file(file).json())).toBe(true);
  child.signal("SIGTERM");
  expect(await child.exited).toBe(0);
});

test.concurrent("--until-stdin-closes: it ends with the program that started it; a start that fails ends before", async () => {
  const flags = ["--ephemeral", "--until-stdin-closes"];
  const { child, ready } = await serveMomo(flags, { stdin: null });
  await child.say("what is written does not end it\n");
  expect([await isHealthy(ready), existsSync(ready.data)]).toEqual([true, true]);
  const port = new URL(ready.base_url).port;
  const refused = startMomo(["serve", ...flags, "--port", port], { stdin: null });
  expect(await inTime(refused.exited, () => "it still runs")).toBe(1);
  expect(await child.finish()).toBe(0);
  expect(existsSync(ready.data)).toBe(false);
});

test.concurrent.skipIf(process.platform !== "linux")(
  "nohup keeps its meaning: an ignored signal stays ignored",
  async () => {
    const program = ["sh", "-c", `trap "" HUP; exec "$@"`, "sh", ...PROGRAM];
    const server = await serveMomo(["--ephemeral"], { program });
    expect(readFileSync(`/proc/${server.ready.pid}/status`, "utf8")).toMatch(/^SigIgn:\s*[0-9a-f]*1$/m);
    expect(await server.stop()).toBe(0);
  },
);

test.concurrent("a stop leaves no alarm, not even that of the work that waits for the first requests", async () => {
  const realClock = createManualClock(START_MS);
  const server = await startIn(newFolder(), { realClock });
  expect(realClock.alarmsAtMs).not.toEqual([]);
  await server.stop();
  expect(realClock.alarmsAtMs).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "a database that was moved over the server's own stays as it is after the stop, which says what became of the payments",
  async () => {
    const [other, own] = [await serveMomo(), await serveMomo()];
    for (const server of [other, other, own]) await server.pay();
    await other.stop();
    const from = join(other.ready.data, "momo.db");
    const to = join(own.ready.data, "momo.db");
    const contents = readFileSync(from);
    renameSync(from, to);
    await until(async () => (await own.ask("GET", "/ready")).status === 503);
    await own.stop();
    expect(own.child.stderr.text).toContain(
      "stopped; another file is in the place of the database: its payments are lost",
    );
    expect(readFileSync(to).equals(contents)).toBe(true);
    expect(paymentsIn(own.ready.data)).toBe(2);
  },
);
