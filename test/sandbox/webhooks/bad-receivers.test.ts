import { afterAll, describe, expect, test } from "bun:test";
import type { WebhookMessage } from "../../../sandbox/webhooks/message.ts";
import { send } from "../../../sandbox/webhooks/send.ts";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { startReceiver } from "../../support/receiver.ts";

afterAll(cleanUp);

const MESSAGE: WebhookMessage = { headers: { "Content-Type": "application/json" }, body: "{}" };
const open = new AbortController().signal;
const hang = () => new Promise<Response>(() => {});

describe("a bad receiver holds nothing up", () => {
  test("one that hangs is given up after 10 s of the time outside", async () => {
    const receiver = startReceiver(hang);
    const realClock = createManualClock(0);
    const result = send(receiver.url, MESSAGE, { realClock, ended: open });
    await receiver.until(1);
    realClock.advance(9_999);
    expect(realClock.alarmsAtMs).toEqual([10_000]);
    realClock.advance(1);
    expect(await result).toEqual({ status: null, answer: null, problem: "no answer within 10 s" });
    expect(realClock.alarmsAtMs).toEqual([]);
  });

  test("one that hangs is left at once when the server stops", async () => {
    const receiver = startReceiver(hang);
    const stop = new AbortController();
    const result = send(receiver.url, MESSAGE, { realClock: createManualClock(0), ended: stop.signal });
    await receiver.until(1);
    stop.abort();
    expect(await result).toMatchObject({ status: null });
  });

  test("of an answer that never ends, the beginning is read for a second; the status counts", async () => {
    const body = () =>
      new ReadableStream({
        async pull(controller) {
          controller.enqueue("a".repeat(10));
          await hang();
        },
      });
    const receiver = startReceiver(() => new Response(body(), { status: 201 }));
    const result = await send(receiver.url, MESSAGE, { realClock: systemClock, ended: open });
    expect(result).toEqual({ status: 201, answer: "aaaaaaaaaa", problem: null });
  });

  test("of a gigabyte, only the beginning is read, and the connection is closed", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    let sent = 0;
    const chunk = new Uint8Array(64 * 1024).fill(97);
    const receiver = startReceiver(
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              sent += chunk.length;
              if (sent > 1024 ** 3) controller.close();
              else controller.enqueue(chunk);
              await Bun.sleep(0);
            },
            cancel: () => resolve(),
          }),
        ),
    );
    const result = await send(receiver.url, MESSAGE, { realClock: systemClock, ended: open });
    expect(result).toEqual({ status: 200, answer: "a".repeat(500), problem: null });
    await closed;
    expect(sent).toBeLessThan(256 * 1024 ** 2);
  });

  test("a small answer that says it is compressed is not made a large one", async () => {
    const bomb = Bun.gzipSync(new Uint8Array(16 * 1024 ** 2));
    const receiver = startReceiver(() => new Response(bomb, { headers: { "Content-Encoding": "gzip" } }));
    const result = await send(receiver.url, MESSAGE, { realClock: systemClock, ended: open });
    expect(result).toMatchObject({ status: 200, problem: null });
    expect(result.answer?.length).toBeLessThanOrEqual(500);
  });

  test("one that closes the connection is told so", async () => {
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.terminate() },
    });
    later(() => server.stop(true));
    const url = `http://127.0.0.1:${server.port}/`;
    const result = await send(url, MESSAGE, { realClock: systemClock, ended: open });
    expect(result.status).toBeNull();
    expect(result.problem).toStartWith("the connection failed (");
  });
});
