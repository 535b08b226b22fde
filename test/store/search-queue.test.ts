import { expect, test } from "bun:test";
import { createSearchQueue, MOST_WAITING } from "../../src/store/search-queue.ts";
import { rejectionOf } from "../support/waiting.ts";

/** A queue with one lane, and the searches that it has started, which a test ends. */
function open() {
  const queue = createSearchQueue(1);
  const started: (() => void)[] = [];
  const search = (signal?: AbortSignal) =>
    queue.run(() => {
      const { promise, resolve } = Promise.withResolvers<string>();
      started.push(() => resolve("found"));
      return promise;
    }, signal);
  return { queue, started, search };
}

test("300 searches whose clients hang up leave the queue, and the next one runs after the one that runs", async () => {
  const { queue, started, search } = open();
  const running = search();
  for (let round = 0; round < 300 / MOST_WAITING; round += 1) {
    const clients = Array.from({ length: MOST_WAITING }, () => new AbortController());
    const left = clients.map(({ signal }) => rejectionOf(search(signal)));
    for (const client of clients) client.abort();
    for (const error of await Promise.all(left)) expect(error).toMatchObject({ message: "the client has gone" });
  }
  expect([queue.size, started.length]).toEqual([1, 1]);
  const next = search(new AbortController().signal);
  started[0]?.();
  expect(await running).toBe("found");
  while (!started[1]) await Promise.resolve();
  started[1]();
  expect(await next).toBe("found");
  expect(queue.size).toBe(0);
});

test("a full queue refuses, and a search that fails makes room for the next", async () => {
  const { queue, started, search } = open();
  const failing = rejectionOf(queue.run(() => Promise.reject(new Error("no disk"))));
  const waiting = Array.from({ length: MOST_WAITING }, () => search());
  expect(await rejectionOf(search())).toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("long searches wait already"),
  });
  expect(await failing).toMatchObject({ message: "no disk" });
  for (let place = 0; place < MOST_WAITING; place += 1) {
    while (!started[place]) await Promise.resolve();
    started[place]?.();
  }
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["found"]));
  expect(await rejectionOf(search(AbortSignal.abort()))).toMatchObject({ message: "the client has gone" });
});
