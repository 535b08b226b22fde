import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { HOST } from "../../support/control.ts";
import { type EventStream, readEvents } from "../../support/event-stream.ts";
import { startIn } from "../../support/sandbox.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);
afterAll(cleanUp);

async function listen(query = "", headers: Record<string, string> = {}): Promise<EventStream> {
  const sent = { headers: { Host: HOST, ...headers } };
  return readEvents(await sandbox.handle(new Request(`http://${HOST}/_momo/events${query}`, sent)));
}

/** Reads so many events of a stream, and leaves it. */
async function take(stream: EventStream, count: number): Promise<EventStream["events"]> {
  await stream.until(() => stream.events.length >= count);
  await stream.leave();
  return stream.events;
}

const numberOf = (id: string) => Number(id.split("-")[1]);

describe("each event has an id, rising since somebody first listened, prefixed with what tells this process from others", () => {
  test("BOOT-N", async () => {
    const stream = await listen();
    await sandbox.pay();
    await sandbox.pay();
    const ids = (await take(stream, 4)).map(({ id }) => id);
    expect(ids.map(numberOf)).toEqual([1, 2, 3, 4]);
    expect(new Set(ids.map((id) => id.split("-")[0])).size).toBe(1);
    for (const id of ids) expect(id).toMatch(/^[0-9A-Z]{8}-[1-9][0-9]*$/);
  });
});

describe("Last-Event-ID, or ?since=ID, replays what was missed", () => {
  for (const [name, ask] of [
    ["Last-Event-ID", (id: string) => listen("", { "Last-Event-ID": id })],
    ["?since=", (id: string) => listen(`?since=${id}`)],
  ] as const) {
    test(`${name}: all after it, once, in order, and then what happens next`, async () => {
      const first = await listen();
      await sandbox.pay();
      const [seen] = await take(first, 1);
      const witness = await listen();
      await sandbox.pay({ phone: "254700000032" });
      await sandbox.control("POST", "/clock", { advance: "3s" });
      const missed = await take(witness, 6);

      const again = await ask(String(seen?.id));
      await again.until(() => again.events.length >= 7);
      // The request of the first payment came after its transaction.
      expect(again.events[0]).toMatchObject({ name: "request" });
      expect(again.events.slice(1)).toEqual(missed);
      await sandbox.control("DELETE", "/rules");
      expect((await take(again, 8)).slice(7)).toMatchObject([{ name: "steering", data: { what: "rules" } }]);
    });
  }

  test("the header of a client that comes back by itself counts more than the address it began with", async () => {
    const first = await listen();
    for (let count = 0; count < 3; count++) await sandbox.control("DELETE", "/rules");
    const ids = (await take(first, 3)).map(({ id }) => id);
    const again = await listen(`?since=${ids[0]}`, { "Last-Event-ID": String(ids[1]) });
    expect((await take(again, 1)).map(({ id }) => id)).toEqual([String(ids[2])]);
  });

  test("the last id brings nothing but what happens next", async () => {
    const first = await listen();
    await sandbox.control("DELETE", "/rules");
    const [last] = await take(first, 1);
    const again = await listen(`?since=${last?.id}`);
    await sandbox.control("DELETE", "/faults");
    expect(await take(again, 1)).toMatchObject([{ data: { what: "faults" } }]);
  });

  test("what happened before anybody listened is no event: neither a payment nor a rule", async () => {
    await sandbox.pay();
    await sandbox.control("DELETE", "/rules");
    const stream = await listen();
    await sandbox.control("POST", "/reset");
    const [reset] = await take(stream, 1);
    const [boot, number] = String(reset?.id).split("-");
    expect(number).toBe("1");
    const again = await listen(`?since=${boot}-0`);
    expect(await take(again, 1)).toMatchObject([{ id: reset?.id, data: { what: "reset" } }]);
  });

  test("since is refused without the id of an event, and when it is given twice", async () => {
    for (const query of ["", "abc", "1", "-", "A-1e3", "%E2%98%83", "A-1&since=A-2"].map(
      (since) => `?since=${since}`,
    )) {
      const refused = await sandbox.call("GET", `/events${query}`);
      expect(refused.status).toBe(400);
      expectSoundAnswer(refused);
    }
  });
});

describe("gap: what was missed is no longer there, and the page must load afresh", () => {
  test("of another process", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    const before = readEvents(await fetch(`${first.origin}/_momo/events`));
    await first.control("DELETE", "/rules");
    const [seen] = await take(before, 1);
    await first.stop();
    const second = await startIn(directory);
    const after = readEvents(
      await fetch(`${second.origin}/_momo/events`, { headers: { "Last-Event-ID": seen?.id ?? "" } }),
    );
    await after.until(() => after.events.length > 0);
    expect(after.events).toMatchObject([{ name: "gap", data: {} }]);
    await second.control("DELETE", "/rules");
    const [gap, next] = await take(after, 2);
    expect(next).toMatchObject({ name: "steering" });
    expect(numberOf(String(next?.id))).toBe(numberOf(String(gap?.id)) + 1);
  });

  test("an id of nobody's; in the header it may be any text, because a browser repeats what it read", async () => {
    const streams = [listen("?since=ABCDEFGH-1"), listen("", { "Last-Event-ID": "x" })];
    for (const stream of await Promise.all(streams)) {
      expect(await take(stream, 1)).toMatchObject([{ name: "gap", data: {} }]);
    }
  });

  test("an id of this process that has yet to come", async () => {
    const first = await listen();
    await sandbox.control("DELETE", "/rules");
    const [{ id } = { id: "" }] = await take(first, 1);
    const stream = await listen(`?since=${id.split("-")[0]}-99`);
    expect(await take(stream, 1)).toMatchObject([{ name: "gap", id }]);
  });
});

test("what was missed comes in many turns, and others are served between them", async () => {
  const first = await listen();
  await sandbox.pay();
  const [seen] = await take(first, 1);
  for (let count = 0; count < 400; count++) await sandbox.ask("POST", "/status.php", { json: {} });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await take(await listen(`?since=${seen?.id}`), 400);
  isOver = true;
  // 32 KB of about 700 bytes each at a time.
  expect(turns).toBeGreaterThan(5);
});
