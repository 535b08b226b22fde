import { Database } from "bun:sqlite";
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explainListenFailure, watchDescriptors } from "../../cli/serving/listen.ts";
import { toFailure } from "../../cli/terminal/failure.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { readEvents } from "../support/client.ts";
import { serveFake, serveRaw } from "../support/fake-server.ts";
import { TestIo } from "../support/io.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { PROGRAM, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { START_MS } from "../support/service.ts";
import { rejectionOf, until } from "../support/waiting.ts";

afterAll(cleanUp);

const { environment } = new TestIo();

const refusalOf = async (...args: Parameters<typeof startIn>) => toFailure(await rejectionOf(startIn(...args)));

describe("a port or data directory that is in use: one line names the user, one the flag that helps; exit 1", () => {
  test("a data directory of a server whose record is damaged", async () => {
    const other = await startIn(newFolder());
    writeFileSync(join(other.at[1], "server.json"), "{}");
    expect((await refusalOf(other.at[1])).message).toBe(`${other.at[1]} is in use by another momo`);
  });

  test("a port of a momo off loopback: its process is named only with the token", async () => {
    const host = "0.0.0.0";
    const open = await startIn(newFolder(), { host, controlToken: "a-control-token-of-ours" });
    const port = Number(new URL(open.baseUrl).port);
    const taken = await refusalOf(newFolder(), { host, port });
    expect(taken.message).toBe(`0.0.0.0:${port} is in use by another momo`);
    expect(taken.hint).toStartWith(`use that one at http://127.0.0.1:${port}, choose another port with --port, or `);
  });

  test("a port of a momo on an address of IPv6", async () => {
    const port = Number(new URL((await startIn(newFolder(), { host: "::1" })).origin).port);
    const taken = await refusalOf(newFolder(), { host: "::1", port });
    expect(taken.message).toBe(`[::1]:${port} is in use by another momo (process ${process.pid})`);
  });

  test("a port of a program that never answers: momo does not wait for it", async () => {
    const { port } = serveRaw(() => {});
    const taken = await explainListenFailure(
      { code: "EADDRINUSE" },
      { host: "127.0.0.1", port, flag: "--port", environment },
      20,
    );
    expect(taken).toMatchObject({
      message: `127.0.0.1:${port} is in use by another program`,
      hint: expect.stringMatching(/^choose another port with --port, or /),
    });
  });

  test.each([
    [{ status: "ok", pid: 7 }, "another momo (process 7)"],
    [{ status: "ok" }, "another momo"],
    [{ status: "draining" }, "another momo"],
    [{ status: "up" }, "another program"],
  ])("a port whose program answers %j", async (health, holder) => {
    const { port } = serveFake(() => Response.json(health));
    const failure = await explainListenFailure(
      { code: "EADDRINUSE" },
      { host: "127.0.0.1", port, flag: "--port", environment },
    );
    expect(failure).toMatchObject({ message: `127.0.0.1:${port} is in use by ${holder}` });
  });

  test("a webhook at its own address", async () => {
    const folder = newFolder();
    // Another program may take the port that was free a moment ago.
    const refused = async () => {
      const own = await startIn(newFolder());
      await own.stop();
      const port = Number(new URL(own.origin).port);
      return await refusalOf(folder, { port, webhook: `http://localhost:${port}/` });
    };
    const { message } = await until(refused, (refusal) => !refusal.message.includes("in use"));
    expect(message).toBe("--webhook must not be an address of this server");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["192.0.2.1", "is not an address of this machine"],
    ["nowhere.invalid", "does not resolve to an address"],
    ["127.0.0.256", "does not resolve to an address"],
  ])("--host %s, which %s", async (host, reason) => {
    const folder = newFolder();
    const { message, hint } = await refusalOf(folder, { host });
    expect(readdirSync(folder)).toEqual([]);
    expect(message).toStartWith(`${host} ${reason}`);
    expect(hint).toContain("--host");
  });

  test.each([
    ["EAGAIN", "shop.test does not resolve to an address, because no name server answers (EAGAIN)", "with --host,"],
    ["EACCES", "shop.test:80 may not be listened on (EACCES)", "above 1023 with --control-port"],
    ["EPERM", "shop.test:80 may not be listened on (EPERM)", "above 1023 with --control-port"],
    ["EINVAL", "shop.test is not an address of this machine (EINVAL)", "with --host,"],
  ])("an address that cannot be listened on, by the system's code %s", async (code, message, hint) => {
    const failure = await explainListenFailure(
      { code },
      { host: "shop.test", port: 80, flag: "--control-port", environment },
    );
    expect(failure).toMatchObject({ message, hint: expect.stringContaining(hint) });
  });
});

describe("a data directory that cannot be used", () => {
  test("payments of another seed, or of a later time than --clock: a start, a completion, or a clock that stands", async () => {
    const folder = newFolder();
    const startAt = { atMs: START_MS, isFrozen: true };
    const seeded = await startIn(folder, { seed: "a", startAt });
    await seeded.pay();
    await seeded.ask("POST", "/clock", { advance: "1h" });
    await seeded.ask("POST", "/clock", { resume: true });
    await seeded.stop();
    expect((await refusalOf(folder, { seed: "b" })).message).toEndWith("has payments that do not come from this seed");
    const { message, exitCode } = await refusalOf(folder, { startAt: { ...startAt, atMs: START_MS + 2999 } });
    expect(message).toBe(
      "--clock is 2026-11-20 10:00:02, and the payments of the data directory have reached 2026-11-20 10:00:03",
    );
    expect(exitCode).toBe(2);

    const frozen = await startIn(folder, { startAt: { ...startAt, atMs: START_MS + 3000 } });
    await frozen.ask("POST", "/clock", { advance: "1h" });
    await frozen.stop();
    expect((await refusalOf(folder, { startAt })).message).toEndWith("have reached 2026-11-20 11:00:03");
  });
});

test.each([
  ["exclusively", ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"]],
  ["for writing", ["BEGIN IMMEDIATE"]],
])("a database that another program has locked %s is refused", async (_how, statements) => {
  const folder = newFolder();
  await (await startIn(folder)).stop();
  const file = join(folder, "momo.db");
  const holder = new Database(file);
  for (const statement of statements) holder.run(statement);
  // SQLite waits five seconds for a lock, but not here.
  const { run } = Database.prototype;
  const spy = spyOn(Database.prototype, "run").mockImplementation(function (this: Database, sql, ...bindings) {
    return run.call(this, sql.replace(/busy_timeout = \d+/, "busy_timeout = 1"), ...bindings);
  });
  const failure = await refusalOf(folder);
  spy.mockRestore();
  holder.close();
  expect(failure).toMatchObject({
    message: `${file} is locked by another program`,
    hint: "close the other program, or choose another folder with --data",
  });
});

const program = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", ...PROGRAM];

test.skipIf(process.platform !== "linux")(
  "with few file descriptors, streams beyond the bound are refused in one line of the log, and a health check is answered",
  async () => {
    const { child, ready } = await serveMomo([], { program });
    const streams = await Promise.all(Array.from({ length: 60 }, () => fetch(`${ready.control_url}/events`)));
    const refused = streams.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(20);
    expect((await fetch(`${ready.control_url}/health`)).status).toBe(200);
    for (const { body } of streams) await body?.cancel();
    await until(() => child.stderr.text.endsWith("\n"));
    expect(child.stderr.text).toMatch(/^momo: \d+ requests are in flight, .*ulimit -n.*; more are refused\n$/);
  },
);

test.skipIf(process.platform !== "linux")(
  "without a descriptor, connections between two requests are closed, so that others are answered; the log says it once",
  async () => {
    const { child, ready, pay } = await serveMomo([], { program });
    const { hostname, port } = new URL(ready.base_url);
    const stream = readEvents(await fetch(`${ready.control_url}/events`));
    const answered = new Set<unknown>();
    const socket = {
      open: (client: Bun.Socket) => void client.write(`GET /_momo/health HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`),
      data: (client: Bun.Socket) => void answered.add(client),
      error: () => {},
    };
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: 60 }, () => Bun.connect({ hostname, port: Number(port), socket })));
    await until(() => answered.size === 60);
    // Silence would close them after 30 s.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    await until(() => child.stderr.text.endsWith("\n"));
    expect(child.stderr.text).toMatch(/^momo: no connection can be accepted: .* too many open files.*\n$/);
    // A request that is in flight goes on.
    await pay();
    await stream.until((events) => events.some(({ name }) => name === "transaction"));
    await stream.leave();
  },
);

test("while descriptors are left, the watch does nothing; its end leaves no alarm", () => {
  const clock = createManualClock(0);
  let timesClosed = 0;
  const stop = watchDescriptors({
    clock,
    closeIdle: () => {
      timesClosed += 1;
    },
    reportFault: () => {},
  });
  clock.advance(3000);
  stop();
  expect([timesClosed, clock.alarmsAtMs]).toEqual([0, []]);
});
