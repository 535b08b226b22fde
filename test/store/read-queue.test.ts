import { expect, test } from "bun:test";
import { createSearchQueue } from "../../src/store/read-queue.ts";
import { rejectionOf } from "../support/waiting.ts";

/** Searches that take long: how many run and wait, and for how long. */

const MOST_WAITING = 50;

test("searches run one at a time; 50 can wait, those whose clients hang up leave, and one that fails makes room for the next", async () => {
  const queue = createSearchQueue({ lanes: 1, waitMs: 1000, stopwatch: () => 0 });
  const started: ((error?: Error) => void)[] = [];
  const search = (signal?: AbortSignal) =>
    queue.run(() => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      started.push((error) => (error ? reject(error) : resolve("found")));
      return promise;
    }, signal);
  const GONE = { message: "the client has gone" };

  const failing = rejectionOf(search());
  for (let round = 0; round < 6; round += 1) {
    const clients = Array.from({ length: MOST_WAITING }, () => new AbortController());
    const left = clients.map(({ signal }) => rejectionOf(search(signal)));
    for (const client of clients) client.abort();
    for (const error of await Promise.all(left)) expect(error).toMatchObject(GONE);
  }
  expect([queue.size, started.length]).toEqual([1, 1]);
  const waiting = Array.from({ length: MOST_WAITING }, () => search());
  expect(await rejectionOf(search())).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("50 others wait already: choose fewer days, or more of the text"),
  });
  expect(await rejectionOf(search(AbortSignal.abort()))).toMatchObject(GONE);
  started[0]?.(new Error("no disk"));
  expect(await failing).toMatchObject({ message: "no disk" });
  for (let place = 1; place <= MOST_WAITING; place += 1) {
    while (!started[place]) await Promise.resolve();
    expect(started).toHaveLength(place + 1);
    started[place]?.();
  }
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["found"]));
  expect(queue.size).toBe(0);
});

test("a search that has waited longer than its time is refused when the one before it ends", async () => {
  let nowMs = 0;
  const queue = createSearchQueue({ lanes: 1, waitMs: 1000, stopwatch: () => nowMs });
  const first = Promise.withResolvers<string>();
  const running = queue.run(() => first.promise);
  const late = rejectionOf(queue.run(async () => "never"));
  nowMs = 1;
  const next = queue.run(async () => "found");
  nowMs = 1001;
  first.resolve("first");
  expect(await late).toMatchObject({
    kind: "unavailable",
    message: "others took 1 s: choose fewer days, or more of the text, or try later",
  });
  expect(await Promise.all([running, next])).toEqual(["first", "found"]);
  expect(queue.size).toBe(0);
});
