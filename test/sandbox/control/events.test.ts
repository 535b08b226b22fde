import { afterAll, describe, expect, test } from "bun:test";
import type { ControlContext } from "../../../sandbox/control/context.ts";
import { createEventHistory } from "../../../sandbox/control/event-hub.ts";
import { EVENT_CALLS } from "../../../sandbox/control/events.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { isSteering } from "../../support/client.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { useScene } from "../../support/scene.ts";
import { turns } from "../../support/waiting.ts";

afterAll(cleanUp);

const sandbox = useScene();
/** The data of all events with this name while `work` ran. */
async function eventsDuring(name: string, work: () => Promise<unknown>): Promise<unknown[]> {
  const stream = await sandbox.listen();
  await work();
  await sandbox.control("DELETE", "/faults");
  const events = await stream.until((all) => all.some(({ data }) => data.what === "faults"));
  return events.filter((event) => event.name === name).map(({ data }) => data);
}

describe("GET /_momo/events: server-sent events", () => {
  test("a heartbeat, which is a comment, arrives at once", async () => {
    const response = await sandbox.request("GET", "/events");
    expect(response.headers.get("Content-Type")).toBe("text/event-stream");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Accel-Buffering")).toBe("no");
    await response.body?.cancel();
    const stream = await sandbox.listen();
    await stream.until(() => stream.comments.length > 0);
    expect(stream.events).toEqual([]);
  });

  test("another heartbeat arrives after 15 s of silence, and again after 15 s", async () => {
    const realClock = createManualClock(0);
    const eventHub = { isFull: false, enter: () => ({ read: () => "", leave: () => {} }) };
    const context = { eventHub, realClock, replica: null } as unknown as ControlContext;
    const input = { request: new Request("http://localhost/"), query: {}, body: undefined, id: "", keepOpen: () => {} };
    const response = (await EVENT_CALLS["/events"]?.GET?.call(context, input)) as Response;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    for (const atMs of [15_000, 30_000]) {
      const next = reader.read();
      await turns(10);
      expect(realClock.alarmsAtMs).toEqual([atMs]);
      realClock.advance(15_000);
      expect(Buffer.from((await next).value ?? []).toString()).toBe(": momo\n\n");
    }
  });

  test("transactions as they start and end, as the list shows them, with merchant and reference", async () => {
    let [a, b, started]: [string, string, object[]] = ["", "", []];
    const events = await eventsDuring("transaction", async () => {
      a = await sandbox.pay();
      b = await sandbox.pay({ phone: "254700000100" });
      started = (await sandbox.list()).reverse().map((listed) => ({ merchant_id: 1, reference: null, ...listed }));
      await sandbox.control("POST", `/prompts/${b}/answer`, { outcome: "cancelled" });
      await sandbox.advanceClock("3s");
    });
    expect(events.slice(0, 2)).toEqual(started);
    expect(events.slice(2)).toMatchObject([
      { checkout_request_id: b, status: "cancelled" },
      { checkout_request_id: a, status: "completed" },
    ]);
  });

  test.each([
    ["request", "/requests", "requests", 3],
    ["message", "/messages", "messages", 1],
    ["webhook", "/webhook", "deliveries", 2],
    ["audit", "/audit", "findings", 1],
  ])("%s: what %s shows, as it happens", async (name, path, member, count) => {
    await sandbox.control("DELETE", "/audit");
    await sandbox.control("PUT", "/webhook", { url: startReceiver().url });
    await sandbox.pay();
    const stream = await sandbox.listen();
    await sandbox.ask("GET", "/transactions.php?reference=A");
    await sandbox.pay({ phone: "254700000032" });
    await sandbox.control("GET", "/health");
    await sandbox.ask("GET", "/transactions.php");
    await sandbox.advanceClock("3s");
    const events = await stream.until((all) => all.filter((event) => event.name === "webhook").length === 2);
    // Two deliveries are sent at once: either can end first.
    const streamed = events.flatMap((event) => (event.name === name ? [event.data] : []));
    streamed.sort((a, b) => Number(a.id) - Number(b.id));
    const shown = (await sandbox.control("GET", path))[member] as typeof streamed;
    expect(streamed).toHaveLength(count);
    expect(streamed).toEqual(shown.slice(-count));
  });

  test("text that resembles the end of an event does not end it", async () => {
    const stream = await sandbox.listen();
    await sandbox.pay({ reference: "x\n\nevent: transaction\ndata: {}\r\n\r" });
    await sandbox.ask("GET", "/transactions.php");
    const events = await stream.until(3);
    expect(events.map(({ name }) => name)).toEqual(["transaction", "request", "request"]);
  });
});

describe("steering: a client has changed something, so every page reads it again", () => {
  const CHANGES: [method: string, path: string, json: unknown, what: string][] = [
    ["POST", "/rules", { outcome: "cancelled" }, "rules"],
    ["PUT", "/rules", [], "rules"],
    ["DELETE", "/rules", undefined, "rules"],
    ["PUT", "/default", { outcome: "manual" }, "default"],
    ["POST", "/clock", { freeze: true }, "clock"],
    ["PUT", "/faults", { faults: [] }, "faults"],
    ["DELETE", "/faults", undefined, "faults"],
    ["PUT", "/webhook", { url: "http://127.0.0.1:1/" }, "webhook"],
    ["DELETE", "/webhook", undefined, "webhook"],
    ["POST", "/merchants", { name: "Shop" }, "registry"],
    ["POST", "/accounts", { name: "Till" }, "registry"],
    ["POST", "/keys", { label: "staging" }, "registry"],
    ["PUT", "/snapshots/prepared", undefined, "snapshots"],
    ["DELETE", "/snapshots/prepared", undefined, "snapshots"],
    ["POST", "/reset", undefined, "reset"],
  ];

  test("each change is one event, also a revoked key and a restored snapshot", async () => {
    const { api_key } = await sandbox.control("POST", "/keys", { label: "revoked" });
    await sandbox.control("PUT", "/snapshots/before");
    const stream = await sandbox.listen();
    const changes: typeof CHANGES = [
      ...CHANGES,
      ["DELETE", `/keys/${api_key}`, undefined, "registry"],
      ["POST", "/snapshots/before/restore", undefined, "restore"],
    ];
    for (const [method, path, json] of changes) await sandbox.control(method, path, json);
    const events = await stream.until(changes.length);
    expect(events.map(({ name, data }) => [name, data.what])).toEqual(
      changes.map(([, , , what]) => ["steering", what]),
    );
  });

  test("a payment that uses up a rule, and a request that uses up a fault, are changes", async () => {
    await sandbox.control("POST", "/rules", { outcome: "cancelled", times: 2 });
    await sandbox.control("PUT", "/faults", { faults: [{ kind: "error", path: "/status.php", times: 1 }] });
    const stream = await sandbox.listen();
    const checkout_request_id = await sandbox.pay();
    await sandbox.statusOf(checkout_request_id);
    await sandbox.control("DELETE", "/rules");
    await sandbox.control("POST", "/clock", { freeze: true }); // the last event
    const events = await stream.until((all) => all.some(({ data }) => data.what === "clock"));
    expect(events.filter(isSteering).map(({ data }) => data.what)).toEqual(["rules", "faults", "rules", "clock"]);
  });

  test("a request that only reads, or that is refused, causes no event", async () => {
    const steering = await eventsDuring("steering", async () => {
      for (const path of ["/rules", "/default", "/clock", "/faults", "/webhook", "/merchants", "/accounts", "/keys"]) {
        await sandbox.control("GET", path);
      }
      await sandbox.refusal("PUT", "/default", { outcome: "paid" });
      await sandbox.refusal("POST", "/rules", {});
      await sandbox.call("DELETE", "/keys/mk_nobody");
    });
    expect(steering).toEqual([{ what: "faults" }]);
  });
});

const MB = 1024 * 1024;

describe("the history keeps the last 10,000 events, or as many as fit into 8 MB", () => {
  test("the text of an event is made when it is first read, and once for all readers", () => {
    const history = createEventHistory("BOOT");
    let written = 0;
    history.add("transaction", () => ({ count: ++written }), 100);
    expect(written).toBe(0);
    const expected = { text: 'event: transaction\nid: BOOT-1\ndata: {"count":1}\n\n', number: 1 };
    expect(history.after(0)).toEqual(expected);
    expect(history.after(0)).toEqual(expected);
  });

  test("one reading returns at most 100 events; the next goes on from there", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 150; count++) history.add("n", () => ({ count }), 0);
    const first = history.after(1);
    expect(first?.number).toBe(101);
    expect(first?.text.match(/BOOT-[0-9]+/g)).toHaveLength(100);
    expect(history.after(101)?.text).toStartWith("event: n\nid: BOOT-102\n");
    expect(history.after(150)).toEqual({ text: "", number: 150 });
  });

  test("of large events, one reading returns fewer", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 100; count++) history.add("n", () => ({ text: "x".repeat(10 * 1024) }), 0);
    const first = history.after(0);
    expect(first?.number).toBe(4);
    expect(history.after(4)?.number).toBe(8);
  });

  test("10,000 stay; one more drops the oldest", () => {
    const history = createEventHistory("BOOT");
    for (let count = 0; count < 10_000; count++) history.add("n", () => ({}), 0);
    expect(history.after(0)).not.toBeNull();
    history.add("n", () => ({}), 0);
    expect(history.after(0)).toBeNull();
    expect(history.after(1)?.text).toStartWith("event: n\nid: BOOT-2\n");
  });

  test("8 MB stay; one byte more drops the oldest; an event of more than 8 MB is dropped at once", () => {
    const history = createEventHistory("BOOT");
    const add = (bytes: number) => history.add("n", () => ({}), bytes);
    add(MB);
    add(7 * MB);
    expect(history.after(0)).not.toBeNull();
    add(1);
    expect(history.after(0)).toBeNull();
    expect(history.after(1)).not.toBeNull();
    add(9 * MB);
    expect(history.after(3)).toBeNull();
    add(1);
    expect(history.after(4)?.number).toBe(5);
  });

  test("the text of an event that was read counts too", () => {
    const history = createEventHistory("BOOT");
    for (let count = 1; count <= 9; count++) history.add("n", () => ({ text: "x".repeat(MB) }), 0);
    for (let number = 0; number < 9; number++) expect(history.after(number)?.text.length).toBeGreaterThan(MB);
    expect(history.after(0)).toBeNull();
    expect(history.after(2)?.number).toBe(3);
  });
});
