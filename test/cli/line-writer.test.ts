import { expect, test } from "bun:test";
import { createLineWriter, MAX_WAITING_LINES } from "../../cli/terminal/line-writer.ts";
import { createManualClock } from "../support/manual-clock.ts";

/** A writer over a reader that takes what it is given only when the test says so. */
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

test("lines are written together", () => {
  const { write, clock, written } = openWriter();
  write("a");
  write("b");
  expect(written).toEqual([]);
  clock.advance(10);
  expect(written).toEqual(["a\nb\n"]);
});

test("while one write is under way the next lines wait, and nothing is written twice", () => {
  const { write, clock, written, take } = openWriter();
  write("a");
  clock.advance(10);
  write("b");
  clock.advance(1000);
  expect(written).toEqual(["a\n"]);
  take();
  clock.advance(10);
  expect(written).toEqual(["a\n", "b\n"]);
});

test("an idle writer sets no alarm", () => {
  const { write, clock, take } = openWriter();
  write("a");
  clock.advance(10);
  take();
  expect(clock.alarmsAtMs).toEqual([]);
});

test("of a reader that does not read 10,000 lines are kept, and the rest is counted", () => {
  const { write, clock, written, take } = openWriter();
  write("first");
  clock.advance(10);
  for (let count = 0; count < MAX_WAITING_LINES + 5; count++) write(`line ${count}`);
  take();
  clock.advance(10);
  const lines = written[1]?.trimEnd().split("\n") ?? [];
  expect(lines).toHaveLength(10_001);
  expect(lines.at(-2)).toBe("line 9999");
  expect(lines.at(-1)).toBe("lost 5");
  take();
  write("next");
  clock.advance(10);
  expect(written[2]).toBe("next\n");
});

test("the end writes what waits at once, and resolves when it is taken", async () => {
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

test("the end of an idle writer is now", async () => {
  await openWriter().end();
});
