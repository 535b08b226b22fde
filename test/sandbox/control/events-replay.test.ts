import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createEventHistory, createEventHub } from "../../../sandbox/control/event-hub.ts";
import type { AnsweredRequest, LoggedRequest, LogListener } from "../../../sandbox/request-log.ts";
import { samplePayment } from "../../../sandbox/webhooks/message.ts";
import { token } from "../../../src/domain/random.ts";
import type { Transaction } from "../../../src/domain/transaction.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { readEvents } from "../../support/client.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { seededRandom } from "../../support/random.ts";
import { startIn } from "../../support/sandbox.ts";
import { expectSoundAnswer, openScene, readAnswer, useScene } from "../../support/scene.ts";
import { nextTurn, turnsOf } from "../../support/waiting.ts";

const sandbox = useScene();
afterAll(cleanUp);

const steer = () => sandbox.control("DELETE", "/rules");
const since = (id: string) => sandbox.listen(`?since=${id}`);
const lastEventId = (id: string) => sandbox.listen("", { headers: { "Last-Event-ID": id } });
const numberOf = (id = "") => Number(id.split("-")[1]);

async function someIds(count: number): Promise<string[]> {
  const stream = await sandbox.listen();
  for (let index = 0; index < count; index++) await steer();
  const ids = (await stream.until(count)).map(({ id }) => id);
  await stream.leave();
  return ids;
}

test("the history has no gap after the last event that was read, nor before the first one", () => {
  const history = createEventHistory("BOOT");
  expect(history.after(0)).toEqual({ text: "", number: 0 });
  history.add("reset", () => ({}), 1);
  const text = "event: reset\nid: BOOT-1\ndata: {}\n\n";
  expect([0, 1, 2].map((number) => history.after(number))).toEqual([
    { text, number: 1 },
    { text: "", number: 1 },
    null,
  ]);
});

test("each event has an id: the name of this process, and a number that counts up from the first listener", async () => {
  const fresh = await openScene();
  await fresh.pay();
  await fresh.control("DELETE", "/rules");
  const stream = await fresh.listen();
  await fresh.pay({ amount: 1 });
  await fresh.pay({ amount: 2 });
  const ids = (await stream.until(4)).map(({ id }) => id);
  expect(ids.map(numberOf)).toEqual([1, 2, 3, 4]);
  expect(new Set(ids.map((id) => id.split("-")[0])).size).toBe(1);
  for (const id of ids) expect(id).toMatch(/^[0-9A-Z]{8}-[1-9][0-9]*$/);
  await fresh.close();
});

describe("Last-Event-ID, or ?since=ID, repeats what a client has missed", () => {
  test.each([
    ["Last-Event-ID", lastEventId],
    ["?since=", since],
  ])("%s: all events after it, once, in order, and then what happens next", async (_name, listenAfter) => {
    const witness = await sandbox.listen();
    await sandbox.pay();
    const [seen] = await witness.until(1);
    await sandbox.pay({ phone: "254700000032" });
    await sandbox.advanceClock("3s");
    const [, ...missed] = await witness.until(8);

    const again = await listenAfter(seen?.id ?? "");
    expect(await again.until(7)).toEqual(missed);
    await steer();
    expect((await again.until(8))[7]).toMatchObject({ name: "steering", data: { what: "rules" } });
  });

  test.each([
    ["the header, which a client repeats by itself, overrides the address", 1],
    ["an empty header does not count, so that the address counts", null],
  ])("%s", async (_name, inHeader) => {
    const ids = await someIds(3);
    const headers = { "Last-Event-ID": inHeader === null ? "" : ids[inHeader] };
    const again = await sandbox.listen(`?since=${ids[0]}`, { headers });
    const [next] = await again.until(1);
    expect(next).toMatchObject({ name: "steering", id: ids[(inHeader ?? 0) + 1] });
  });

  test("after the last id, nothing is repeated", async () => {
    const [last = ""] = await someIds(1);
    const again = await since(last);
    await sandbox.control("DELETE", "/faults");
    expect(await again.until(1)).toMatchObject([{ data: { what: "faults" } }]);
  });

  test.each(["", "abc", "1", "-", "A-1e3", "%E2%98%83", "A-1&since=A-2"])("?since=%s is refused", async (id) => {
    await sandbox.refusal("GET", `/events?since=${id}`);
  });

  test("in many turns, so that other requests are served between them", async () => {
    const [seen = ""] = await someIds(1);
    for (let count = 0; count < 400; count++) await sandbox.ask("POST", "/status.php", { json: {} });
    const again = await since(seen);
    // 32 KB of about 700 bytes each at a time.
    expect(await turnsOf(again.until(400))).toBeGreaterThan(5);
  });
});

describe("gap: the missed events are no longer known, and the page must read everything again", () => {
  test("an id of another process; then the events go on", async () => {
    const gapped = await since("ABCDEFGH-1");
    const [gap] = await gapped.until(1);
    expect(gap).toMatchObject({ name: "gap", data: {} });
    await steer();
    const [, next] = await gapped.until(2);
    expect(next).toMatchObject({ name: "steering" });
    expect(numberOf(next?.id)).toBe(numberOf(gap?.id) + 1);
  });

  test("a text that is no id: a browser repeats whatever it read", async () => {
    expect(await (await lastEventId("x")).until(1)).toMatchObject([{ name: "gap" }]);
  });

  test("an id of this process that does not exist yet", async () => {
    const [id = ""] = await someIds(1);
    expect(await (await since(`${id.split("-")[0]}-999999`)).until(1)).toMatchObject([{ name: "gap", id }]);
  });

  test("each start of a server has another name", async () => {
    const idOf = async (server: Awaited<ReturnType<typeof startIn>>) => {
      const stream = readEvents(await fetch(`${server.origin}/_momo/events`));
      await server.control("DELETE", "/rules");
      const [event] = await stream.until(1);
      await server.stop();
      return event?.id;
    };
    const directory = join(newFolder(), "data");
    const first = await idOf(await startIn(directory));
    expect(await idOf(await startIn(directory))).not.toBe(first);
  });
});

describe("at most 100 clients listen", () => {
  test("one more gets 503; each one that leaves makes room", async () => {
    const full = await openScene();
    later(() => full.close());
    // These clients close the connection before the server reads their request.
    await Promise.all(Array.from({ length: 100 }, () => full.listen("", { signal: AbortSignal.abort() })));
    const gone = new AbortController();
    const streams = await Promise.all([
      full.listen("", { signal: gone.signal }),
      ...Array.from({ length: 99 }, () => full.listen()),
    ]);
    const isFull = async () => (await full.request("GET", "/events")).status === 503;
    const refused = await readAnswer(await full.request("GET", "/events"));
    expect(refused.status).toBe(503);
    expectSoundAnswer(refused);
    await streams.pop()?.leave();
    streams.push(await full.listen());
    expect(await isFull()).toBe(true);
    gone.abort();
    await streams.shift()?.ended;
    streams.push(await full.listen());
    expect(await isFull()).toBe(true);
    await full.pay();
    for (const stream of streams) expect((await stream.until(1))[0]).toMatchObject({ name: "transaction" });
  });

  test("also over real connections; and when the server stops, it ends a stream properly", async () => {
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
    expect((await stream.until(1))[0]).toMatchObject({ name: "transaction", data: { checkout_request_id: id } });
    // A connection that is cut off would be an error here.
    await Promise.all([stream.ended, server.stop()]);
  });
});

describe("a hub", () => {
  const none = { subscribe: () => () => true };

  /** A hub of whose parts a test needs only some, and a client that listens to it. */
  function openHub(parts: object, service: object = none) {
    const faults: unknown[] = [];
    const realClock = createManualClock(0);
    const hub = createEventHub({
      service: { isShared: false, replicaChangeToken: async () => "", ...service },
      ...{ log: none, audit: none, webhooks: none },
      ...{ realClock, random: seededRandom(1), reportFault: (error: unknown) => void faults.push(error) },
      ...parts,
    } as unknown as Parameters<typeof createEventHub>[0]);
    const enter = (lastId: string | null = null) => hub.enter(lastId, { wake: () => {}, end: () => {} });
    return { enter, place: enter(), realClock, faults };
  }

  test("a change by another server is one gap, also for a reader who comes back; not one at each reading, nor for a new reader", async () => {
    let mark = "a";
    const boot = token(seededRandom(1), 8);
    const { enter, place, realClock } = openHub({}, { ...none, isShared: true, replicaChangeToken: async () => mark });
    const readNext = async () => {
      realClock.advance(250);
      await nextTurn();
      return [place.read(), place.read()].map((text) => /^event: (.*)$/m.exec(text)?.[1] ?? text);
    };
    expect(await readNext()).toEqual(["", ""]);
    mark = "b";
    expect(await readNext()).toEqual(["gap", ""]);
    expect(await readNext()).toEqual(["", ""]);
    const later = enter();
    expect([later.id, later.read()]).toEqual([`${boot}-1`, ""]);
    later.leave();
    mark = "c";
    expect(await readNext()).toEqual(["gap", ""]);
    const back = enter(`${boot}-1`);
    expect(back.read()).toBe(`event: gap\nid: ${boot}-2\ndata: {}\n\n`);
    expect(back.read()).toBe("");
    back.leave();
    place.leave();
    await readNext();
    expect(realClock.alarmsAtMs).toEqual([]);
  });

  test("a text message whose merchant cannot be read is a fault that is reported; the payment is an event all the same", async () => {
    const told: ((transaction: Transaction) => void)[] = [];
    const registry = { nameOf: () => Promise.reject(new Error("broken")) };
    const { place, faults } = openHub({}, { registry, subscribe: (listener: (typeof told)[0]) => told.push(listener) });
    told[0]?.(samplePayment(0));
    await nextTurn();
    expect(place.read().match(/^event: .*$/gm)).toEqual(["event: transaction"]);
    expect(faults).toEqual([new Error("broken")]);
  });

  const MEGABYTE = "x".repeat(1_000_000);
  test.each<[part: string, request: Partial<LoggedRequest>]>([
    ["target", { target: MEGABYTE }],
    ["header", { headers: new Headers({ "x-long": MEGABYTE }) }],
    ["body", { body: MEGABYTE }],
    ["answer", { answer: MEGABYTE }],
  ])("counts the %s of a request in its memory: beyond 8 MB the oldest are a gap", (_part, request) => {
    const logged: LogListener[] = [];
    const { place } = openHub({ log: { subscribe: (listener: LogListener) => logged.push(listener) } });
    const plain = { target: "/", headers: new Headers(), body: null, answer: null };
    for (let count = 0; count < 9; count += 1)
      logged[0]?.({} as AnsweredRequest, { ...plain, ...request } as LoggedRequest);
    expect(place.read()).toStartWith("event: gap");
  });
});
