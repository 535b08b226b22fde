import { afterAll, expect, jest, test } from "bun:test";
import { openEvents } from "../../cli/client/client.ts";
import { cleanUp, later } from "../support/cleanup.ts";

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
    const target = { controlUrl: `http://127.0.0.1:${server.port}`, controlToken: null };
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
