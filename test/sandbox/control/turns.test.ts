import { expect, test } from "bun:test";
import { writeAll, writeWhatFits } from "../../../sandbox/control/paging.ts";

/** How many turns of the event loop pass before it resolves. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}

const many = Array.from({ length: 10_000 }, (_, id) => ({ id }));

test("a long list is written out in many turns, a hundred entries in each", async () => {
  expect(await turnsOf(writeAll(many, ({ id }) => `${id}`))).toBeGreaterThanOrEqual(100);
  expect(await writeAll(many, ({ id }) => `${id}`)).toEqual(many.map(({ id }) => `${id}`));
});

test("fewer in each where they are large", async () => {
  const large = "x".repeat(50 * 1024);
  expect(await turnsOf(writeWhatFits(many, () => large))).toBeGreaterThanOrEqual(10);
});

test("a short one is written out at once", async () => {
  expect(await turnsOf(writeAll(many.slice(0, 99), ({ id }) => `${id}`))).toBe(0);
});
