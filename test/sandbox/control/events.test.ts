import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { isSteering } from "../../support/event-stream.ts";
import { startReceiver } from "../../support/receiver.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();
afterAll(cleanUp);

/** The data of all events with this name while `work` ran. */
async function eventsDuring(name: string, work: () => Promise<unknown>): Promise<unknown[]> {
  const stream = await sandbox.listen();
  await work();
  // The last event.
  await sandbox.control("DELETE", "/faults");
  const events = await stream.until((all) => all.some(({ data }) => data.what === "faults"));
  return events.filter((event) => event.name === name).map(({ data }) => data);
}

describe("GET /_momo/events: server-sent events", () => {
  test("a heartbeat, which is a comment, arrives at once", async () => {
    const response = await sandbox.request("GET", "/events");
    expect(response.headers.get("Content-Type")).toBe("text/event-stream");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    await response.body?.cancel();
    const stream = await sandbox.listen();
    await stream.until(() => stream.comments.length > 0);
    expect(stream.events).toEqual([]);
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
    ["POST", "/reset", undefined, "reset"],
  ];

  test("each change is one event", async () => {
    const stream = await sandbox.listen();
    for (const [method, path, json] of CHANGES) await sandbox.control(method, path, json);
    const events = await stream.until(CHANGES.length);
    expect(events.map(({ name, data }) => [name, data.what])).toEqual(
      CHANGES.map(([, , , what]) => ["steering", what]),
    );
  });

  test("a revoked key and a restored snapshot are events, too", async () => {
    const { api_key } = await sandbox.control("POST", "/keys", { label: "staging" });
    await sandbox.control("PUT", "/snapshots/before");
    const stream = await sandbox.listen();
    await sandbox.control("DELETE", `/keys/${api_key}`);
    await sandbox.control("POST", "/snapshots/before/restore");
    expect((await stream.until(2)).map(({ data }) => data.what)).toEqual(["registry", "restore"]);
  });

  test("it arrives after the events that the change causes", async () => {
    const stream = await sandbox.listen();
    await sandbox.pay({ phone: "254700000032" });
    await sandbox.advanceClock("3s");
    const events = await stream.until((all) => all.some(isSteering));
    expect(events.map(({ name }) => name)).toEqual(["transaction", "request", "transaction", "steering"]);
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
