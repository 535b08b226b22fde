import { expect, test } from "bun:test";
import { MAX_PAGE_BYTES, writeTexts } from "../../../sandbox/control/paging.ts";
import { systemClock } from "../../../src/system.ts";

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

test("a long list is written out in many turns, 200 entries in each", async () => {
  expect(await turnsOf(writeTexts(many, systemClock, ({ id }) => `${id}`))).toBeGreaterThanOrEqual(50);
  expect(await writeTexts(many, systemClock, ({ id }) => `${id}`)).toEqual(many.map(({ id }) => `${id}`));
});

test("fewer in each where they are large", async () => {
  const large = "x".repeat(50 * 1024);
  expect(await turnsOf(writeTexts(many, systemClock, () => large, MAX_PAGE_BYTES))).toBeGreaterThanOrEqual(5);
});

test("a short one is written out at once", async () => {
  expect(await turnsOf(writeTexts(many.slice(0, 199), systemClock, ({ id }) => `${id}`))).toBe(0);
});
