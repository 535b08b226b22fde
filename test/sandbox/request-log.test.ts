import { expect, test } from "bun:test";
import { createRequestLog, LOG_CAPACITY, LOG_CAPACITY_BYTES, type LoggedRequest } from "../../sandbox/request-log.ts";

const call = (changes: Partial<LoggedRequest> = {}) => ({
  atMs: 0,
  durationMs: 0,
  method: "POST",
  target: "/",
  headers: new Headers(),
  body: null,
  status: 200,
  answer: null,
  fault: null,
  ...changes,
});

const idsOf = (log: ReturnType<typeof createRequestLog>) => log.list().map(({ id }) => id);

test("the last 1,000 calls are remembered, oldest first", () => {
  const log = createRequestLog();
  for (let count = 0; count < LOG_CAPACITY; count++) log.add(call());
  expect(idsOf(log)).toHaveLength(1000);
  log.add(call());
  expect(idsOf(log)).toHaveLength(1000);
  expect(idsOf(log).at(0)).toBe(2);
  expect(idsOf(log).at(-1)).toBe(1001);
});

test("together they take at most 32 MB: large ones leave earlier, the newest always stays", () => {
  const log = createRequestLog();
  const body = "x".repeat(64 * 1024);
  for (let count = 0; count < 2000; count++) log.add(call({ body }));
  const held = idsOf(log).length * body.length;
  expect(held).toBeLessThan(LOG_CAPACITY_BYTES);
  expect(held).toBeGreaterThan(LOG_CAPACITY_BYTES * 0.9);
  expect(idsOf(log).at(-1)).toBe(2000);
  for (let count = 0; count < LOG_CAPACITY; count++) log.add(call());
  expect(idsOf(log)).toHaveLength(1000);
});

test("after it was cleared it begins again, and goes on counting", () => {
  const log = createRequestLog();
  for (let count = 0; count < 1500; count++) log.add(call({ body: "x".repeat(64 * 1024) }));
  log.clear();
  expect(idsOf(log)).toEqual([]);
  for (let count = 0; count < 1200; count++) log.add(call());
  expect(idsOf(log)).toHaveLength(1000);
  expect(idsOf(log).at(-1)).toBe(2700);
});
