import { expect, test } from "bun:test";
import { TallyBook } from "../../../sandbox/audit/tally.ts";

/** Each attempt of a delivery: its number, and whether it is taken. The third one is the last. */
test.each<[attempts: [number, taken: boolean][], sent: number, notTaken: number]>([
  [[[1, true]], 1, 0],
  [[[1, false]], 1, 1],
  [
    [
      [1, false],
      [2, false],
      [3, true],
    ],
    1,
    0,
  ],
  [
    [
      [1, false],
      [2, false],
      [3, false],
    ],
    1,
    1,
  ],
  [[[2, true]], 1, 0],
  [
    [
      [2, false],
      [3, true],
    ],
    1,
    0,
  ],
  [[[3, false]], 1, 1],
])("a delivery counts at the first attempt that the audit sees: %j", (seen, sent, not_taken) => {
  const tally = new TallyBook();
  for (const [number, isTaken] of seen) {
    const attempt = { atMs: 0, durationMs: 0, status: null, answer: null, problem: isTaken ? null : "no answer" };
    const isLast = isTaken || number === 3;
    tally.deliver({ id: 7, attempts: Array(number).fill(attempt), dueAtMs: isLast ? null : 1 });
  }
  expect(tally.show(0, 0).deliveries).toEqual({ sent, not_taken });
});

test("a client makes no more payments one by one than were started", () => {
  const tally = new TallyBook();
  tally.started = 2;
  expect([1, 5].map((oneByOne) => tally.show(0, oneByOne).payments.one_by_one)).toEqual([1, 2]);
});
