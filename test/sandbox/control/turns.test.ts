import { expect, test } from "bun:test";
import { writeAll, writeWhatFits } from "../../../sandbox/control/paging.ts";
import { systemClock } from "../../../src/system.ts";
import { turnsOf } from "../../support/turns.ts";

const many = Array.from({ length: 10_000 }, (_, id) => ({ id }));
const textOf = ({ id }: { id: number }) => `${id}`;

test("a long list is written in many turns, 200 entries in each", async () => {
  expect(await turnsOf(writeAll(many, systemClock, textOf))).toBeGreaterThanOrEqual(50);
  expect(await writeAll(many, systemClock, textOf)).toEqual(many.map(textOf));
});

test("large entries: fewer in each turn", async () => {
  const large = "x".repeat(50 * 1024);
  expect(await turnsOf(writeWhatFits(many, systemClock, () => large))).toBeGreaterThanOrEqual(5);
});

test("a short list is written at once", async () => {
  expect(await turnsOf(writeAll(many.slice(0, 199), systemClock, textOf))).toBe(0);
});
