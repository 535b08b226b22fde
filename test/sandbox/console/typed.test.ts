import { expect, test } from "bun:test";
import { instantOf, prettyJson } from "../../../sandbox/console/browser/logic/format.ts";
import { type Move, moveOf, nameOf, numberOrText } from "../../../sandbox/console/browser/logic/typed.ts";
import { aheadInWords } from "../../../src/domain/duration.ts";

test("a field sends a number, or else the text, which the API refuses; an empty one sends nothing", () => {
  expect(["", "0", "1.5", "1e999", "ten"].map(numberOrText)).toEqual([undefined, 0, 1.5, "1e999", "ten"]);
  expect(prettyJson("{a")).toBe("{a");
});

test("the name of a snapshot has letters, digits, - and _", () => {
  expect(["before the  sale", "..", "a/b_1"].map(nameOf)).toEqual(["before-the-sale", "-", "a-b_1"]);
});

const SATURDAY_MS = instantOf("2026-11-28 14:30:00");
const UNDERSTOOD: [typed: string, move: Move][] = [
  ["90s", { advance: "90s" }],
  ["1 day", { advance: "24h" }],
  ["+ 2 hours 30 min", { advance: "150m" }],
  ["in 2 weeks", { advance: "336h" }],
  ["1h30m", { advance: "90m" }],
  ["tomorrow 00:30", { to: "2026-11-29 00:30" }],
  ["Tomorrow", { to: "2026-11-29 00:00" }],
  ["today 18:00", { to: "2026-11-28 18:00" }],
  ["9:05", { to: "2026-11-29 09:05" }],
  ["14:30:01", { to: "2026-11-28 14:30:01" }],
  ["2026-11-30 00:30", { to: "2026-11-30 00:30" }],
  ["30 Nov 2026, 00:30", { to: "2026-11-30T00:30:00" }],
  ["1 december 2026", { to: "2026-12-01T00:00:00" }],
];
test.each(UNDERSTOOD)("a move of the clock, as a person types it: %j is %j", (typed, move) => {
  expect(moveOf(typed, SATURDAY_MS)).toEqual(move);
});

test.each(["", "soon", "noon", "-5m", "1 fortnight", "27/11/2026", "tomorrow at 00:30", "25:00"])(
  "%j is no move of the clock",
  (typed) => expect(moveOf(` ${typed} `, SATURDAY_MS)).toBeNull(),
);

const DAY = 86_400_000;
test.each<[aheadMs: number, words: string]>([
  [4000, ""],
  [-4000, ""],
  [90_000, "+1 min 30 s"],
  [3_599_990, "+1 h"],
  [DAY - 20_000, "+1 day"],
  [DAY + 28_800_000, "+1 day 8 h"],
  [2 * DAY + 5_400_000, "+2 days 1 h"],
  [-8 * DAY, "−8 days"],
])("a clock that is %d ms ahead of the machine's: %j", (aheadMs, words) => {
  expect(aheadInWords(aheadMs)).toBe(words);
});
