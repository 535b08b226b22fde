import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { HOST } from "../../support/control.ts";
import { readEvents } from "../../support/event-stream.ts";
import { insertDue } from "../../support/pending.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startIn } from "../../support/sandbox.ts";
import { expectSoundAnswer, readAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);
afterAll(cleanUp);

/** Listens, until the signal says otherwise. */
const listen = (signal?: AbortSignal) =>
  sandbox.handle(new Request(`http://${HOST}/_momo/events`, { headers: { Host: HOST }, ...(signal && { signal }) }));

describe("GET /_momo/events: server-sent events", () => {
  test("the first heartbeat, a comment, comes at once", async () => {
    const response = await listen();
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/event-stream");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const stream = readEvents(response);
    await stream.until(() => stream.comments.length > 0);
    expect(stream.events).toEqual([]);
    await stream.leave();
  });

  test("transactions as they start and as they end, as the list shows them, and whose they are", async () => {
    const stream = readEvents(await listen());
    const [a, b] = [await sandbox.pay(), await sandbox.pay({ phone: "254700000100" })];
    const started = (await sandbox.list()).reverse().map((listed) => ({ merchant_id: 1, reference: null, ...listed }));
    await sandbox.control("POST", `/prompts/${b}/answer`, { outcome: "cancelled" });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    const transactions = () => stream.events.filter(({ name }) => name === "transaction").map(({ data }) => data);
    await stream.until(() => transactions().length === 4);
    expect(transactions().slice(0, 2)).toEqual(started);
    expect(transactions().slice(2)).toMatchObject([
      { checkout_request_id: b, status: "cancelled" },
      { checkout_request_id: a, status: "completed" },
    ]);
    await stream.leave();
  });

  test("deliveries of the webhook as they are tried, as the list shows them", async () => {
    const receiver = startReceiver();
    await sandbox.control("PUT", "/webhook", { url: receiver.url });
    const stream = readEvents(await listen());
    await sandbox.pay();
    await sandbox.control("POST", "/clock", { advance: "3s" });
    const told = () => stream.events.filter(({ name }) => name === "webhook").map(({ data }) => data);
    await stream.until(() => told().length === 1);
    expect(told()).toMatchObject([{ id: 1, state: "delivered", attempts: [{ status: 200 }] }]);
    expect(told()).toEqual((await sandbox.control("GET", "/webhook")).deliveries as Record<string, unknown>[]);
    await stream.leave();
  });

  test("requests as they are answered, as the log shows them", async () => {
    const stream = readEvents(await listen());
    await sandbox.ask("GET", "/transactions.php?limit=5");
    await sandbox.ask("POST", "/status.php", { json: { checkout_request_id: "ws_CO_1" } });
    await stream.until(() => stream.events.length === 2);
    expect(stream.events.map(({ name }) => name)).toEqual(["request", "request"]);
    expect(stream.events.map(({ data }) => data)).toEqual(
      (await sandbox.control("GET", "/requests")).requests as Record<string, unknown>[],
    );
    expect(JSON.stringify(stream.events)).not.toContain(sandbox.caller.key.apiSecret);
    await stream.leave();
  });

  test("a message as a customer gets one", async () => {
    const stream = readEvents(await listen());
    const id = await sandbox.pay({ amount: 1200, reference: "REF" });
    await sandbox.pay({ phone: "254700000032" });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    await stream.until(() => stream.events.some(({ name }) => name === "steering"));
    const messages = stream.events.filter(({ name }) => name === "message").map(({ data }) => data);
    expect(messages).toMatchObject([{ phone: "254712345678", checkout_request_id: id }]);
    expect(messages).toEqual((await sandbox.control("GET", "/messages")).messages as Record<string, unknown>[]);
    await stream.leave();
  });

  test("control calls that change nothing are no events; nor is what happened before", async () => {
    await sandbox.pay();
    const stream = readEvents(await listen());
    await sandbox.control("GET", "/health");
    await sandbox.ask("GET", "/transactions.php");
    await stream.until(() => stream.events.length > 0);
    expect(stream.events).toMatchObject([{ name: "request", data: { method: "GET" } }]);
    await stream.leave();
  });

  test("text that looks like the end of an event is none", async () => {
    const stream = readEvents(await listen());
    await sandbox.pay({ reference: "x\n\nevent: transaction\ndata: {}\r\n\r" });
    await sandbox.ask("GET", "/transactions.php");
    await stream.until(() => stream.events.length === 3);
    expect(stream.events.map(({ name }) => name)).toEqual(["transaction", "request", "request"]);
    await stream.leave();
  });
});

describe("at most 100 listen", () => {
  test("one more: 503; one that goes away is forgotten", async () => {
    const streams = (await Promise.all(Array.from({ length: 100 }, () => listen()))).map(readEvents);
    const refused = await readAnswer(await listen());
    expect(refused.status).toBe(503);
    expectSoundAnswer(refused);
    await streams.pop()?.leave();
    const gone = new AbortController();
    const next = readEvents(await listen(gone.signal));
    expect((await listen()).status).toBe(503);
    gone.abort();
    await next.ended;
    streams.push(readEvents(await listen()));
    await sandbox.pay();
    for (const stream of streams) {
      await stream.until(() => stream.events.some(({ name }) => name === "transaction"));
      await stream.leave();
    }
    expect((await listen()).status).toBe(200);
  });

  test("a client that has gone before its call is read takes no place", async () => {
    await Promise.all(Array.from({ length: 100 }, () => listen(AbortSignal.abort())));
    expect((await listen()).status).toBe(200);
  });

  test("a listener that does not read misses what makes way for newer events, is told so, and goes on", async () => {
    const stream = readEvents(await listen());
    await insertDue(sandbox, 5100);
    await sandbox.control("POST", "/clock", { advance: "1h" });
    await stream.until(() => stream.events.length > 0);
    expect(stream.events).toMatchObject([{ name: "gap", data: {} }]);
    await sandbox.pay();
    await stream.until(() => stream.events.length >= 3);
    expect(stream.events.slice(1).map(({ name }) => name)).toEqual(["transaction", "request"]);
    await stream.leave();
  });
});

describe("over a real socket", () => {
  test("a client that goes away is forgotten; the stream of one that stays closes cleanly when the server stops", async () => {
    const server = await startIn(join(newFolder(), "data"));
    const url = `${server.origin}/_momo/events`;
    const gone = new AbortController();
    await Promise.all(Array.from({ length: 100 }, () => fetch(url, { signal: gone.signal })));
    expect((await fetch(url)).status).toBe(503);
    gone.abort();
    let response = await fetch(url);
    while (response.status === 503) response = await fetch(url);
    const stream = readEvents(response);
    const id = await server.pay();
    await stream.until(() => stream.events.length > 0);
    expect(stream.events[0]).toMatchObject({ name: "transaction", data: { checkout_request_id: id } });
    // A connection that was cut off would be an error here.
    await Promise.all([stream.ended, server.stop()]);
  });
});
