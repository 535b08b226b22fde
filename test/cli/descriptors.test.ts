import { afterAll, expect, test } from "bun:test";
import { watchDescriptors } from "../../cli/serving/listen.ts";
import { cleanUp } from "../support/cleanup.ts";
import { readEvents } from "../support/client.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { PROGRAM, serveMomo } from "../support/momo.ts";
import { until } from "../support/waiting.ts";

afterAll(cleanUp);

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
    const said = await until(
      async () => child.stderr.text,
      (text) => text.endsWith("\n"),
    );
    expect(said).toMatch(/^momo: \d+ requests are in flight, .*ulimit -n.*; more are refused\n$/);
  },
);

test.skipIf(process.platform !== "linux")(
  "connections that send nothing are closed when they leave no descriptor, and the log says it once",
  async () => {
    const { child, ready, pay } = await serveMomo([], { program });
    const { hostname, port } = new URL(ready.base_url);
    const connect = () => Bun.connect({ hostname, port: Number(port), socket: { data: () => {}, error: () => {} } });
    const stream = readEvents(await fetch(`${ready.control_url}/events`));
    const sockets = await Promise.all(Array.from({ length: 100 }, connect));
    // A connection that waits while others are closed can be reset.
    const health = () => fetch(`${ready.control_url}/health`).catch(() => null);
    await until(health, (answer) => answer?.status === 200 && child.stderr.text.includes("ulimit -n"));
    expect(child.stderr.text).toMatch(/^momo: no connection can be accepted: .* too many open files.*\n$/);
    // A request that is in flight goes on.
    await pay();
    await stream.until((events) => events.some(({ name }) => name === "transaction"));
    await stream.leave();
    for (const socket of sockets) socket.terminate();
  },
);

test("while descriptors are left, the watch does nothing; its end leaves no alarm", () => {
  const clock = createManualClock(0);
  let relieved = 0;
  const stop = watchDescriptors({
    clock,
    relieve: () => {
      relieved += 1;
    },
    reportFault: () => {},
  });
  clock.advance(3000);
  stop();
  expect([relieved, clock.alarmsAtMs]).toEqual([0, []]);
});
