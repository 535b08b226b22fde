import { expect, test } from "bun:test";
import { createLineWriter, MAX_WAITING_LINES } from "../../cli/terminal/server-log.ts";
import { createManualClock } from "../support/manual-clock.ts";

/** A writer whose reader accepts a text only when the test says so. */
function openWriter() {
  const clock = createManualClock(0);
  const written: string[] = [];
  let taken = () => {};
  const sink = (text: string, done: () => void) => {
    written.push(text);
    taken = done;
  };
  const writer = createLineWriter(clock, sink, (lost) => `lost ${lost}`);
  return { ...writer, clock, written, take: () => taken() };
}

test("lines are written together; while one write is in flight, the next lines wait", () => {
  const { write, clock, written, take } = openWriter();
  write("a");
  write("b");
  expect(written).toEqual([]);
  clock.advance(10);
  expect(written).toEqual(["a\nb\n"]);
  write("c");
  clock.advance(1000);
  expect(written).toHaveLength(1);
  take();
  clock.advance(10);
  expect(written).toEqual(["a\nb\n", "c\n"]);
  take();
  expect(clock.alarmsAtMs).toEqual([]); // an idle writer sets no alarm
});

test("for a reader that does not read, 10,000 lines are kept, and the others are counted", () => {
  const { write, clock, written, take } = openWriter();
  write("first");
  clock.advance(10);
  for (let count = 0; count < MAX_WAITING_LINES + 5; count++) write(`line ${count}`);
  take();
  clock.advance(10);
  const lines = written[1]?.trimEnd().split("\n") ?? [];
  expect(lines).toHaveLength(10_001);
  expect(lines.slice(-2)).toEqual(["line 9999", "lost 5"]);
  take();
  write("next");
  clock.advance(10);
  expect(written[2]).toBe("next\n");
});

test("end() writes the waiting lines at once, and resolves when they are written", async () => {
  const { write, end, clock, written, take } = openWriter();
  write("a");
  clock.advance(10);
  write("b");
  let hasEnded = false;
  const ended = end().then(() => {
    hasEnded = true;
  });
  take();
  expect(written).toEqual(["a\n", "b\n"]);
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  take();
  await ended;
});

test("end() of an idle writer resolves at once", async () => {
  await openWriter().end();
});
