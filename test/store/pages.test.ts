import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Block, type Blocks, type Key, newestFirst, pick } from "../../src/store/sqlite/pages.ts";

const [SMALL, GREAT] = [2, 4];

interface Row extends Key {
  readonly isSelected: boolean;
}

/** Blocks of 4 and of 16 numbers, as in the store: the times of a block include its rows that are not selected. */
function blocksOver(rows: readonly Row[], fromMs: number, beforeMs: number, read: (block: number) => void = () => {}) {
  function listOf(bits: number, first = 0, last = Number.MAX_SAFE_INTEGER): Block[] {
    return [...Map.groupBy(rows, ({ id }) => Math.floor(id / 2 ** bits))]
      .map(([block, inside]) => {
        const times = inside.map(({ atMs }) => atMs);
        const count = inside.filter(({ isSelected }) => isSelected).length;
        return { block, count, firstMs: Math.min(...times), lastMs: Math.max(...times) };
      })
      .filter(
        ({ block, count, firstMs, lastMs }) =>
          block >= first && block <= last && count > 0 && lastMs >= fromMs && firstMs < beforeMs,
      )
      .sort((a, b) => b.block - a.block);
  }
  const isAsked = ({ atMs, isSelected }: Row) => isSelected && atMs >= fromMs && atMs < beforeMs;
  function keysOf(block: number): Key[] {
    read(block);
    const keys = rows.filter((row) => Math.floor(row.id / 2 ** SMALL) === block && isAsked(row));
    return keys.map(({ atMs, id }) => ({ atMs, id })).sort(newestFirst);
  }
  const small: Blocks = { bits: SMALL, smaller: null, keysOf, fromMs, beforeMs };
  const perGreat = 2 ** (GREAT - SMALL);
  const great: Blocks = {
    ...small,
    bits: GREAT,
    smaller: (first, last) => ({ list: listOf(SMALL, first * perGreat, (last + 1) * perGreat - 1), blocks: small }),
  };
  const expected = rows
    .filter(isAsked)
    .map(({ atMs, id }) => ({ atMs, id }))
    .sort(newestFirst);
  return { great, list: listOf(GREAT), expected };
}

function pageOf({ great, list }: ReturnType<typeof blocksOver>, skip: number, limit: number): Key[] {
  const reading = pick(great, list, skip, limit);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value.keys;
  }
}

/** Times that mostly stay or rise, and sometimes jump ahead or back. */
const anyRows = fc
  .array(
    fc.record({
      step: fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 0, max: 3 }) },
        { weight: 1, arbitrary: fc.integer({ min: -60, max: 60 }) },
      ),
      isSelected: fc.boolean(),
      isThere: fc.nat({ max: 9 }).map((drawn) => drawn > 0),
    }),
    { maxLength: 150 },
  )
  .map((steps) => {
    let atMs = 500;
    const rows: Row[] = [];
    for (const [index, { step, isSelected, isThere }] of steps.entries()) {
      atMs += step;
      if (isThere) rows.push({ id: index + 1, atMs, isSelected });
    }
    return rows;
  });

/** Rows of one time each, all selected. */
const rowsAt = (times: number[]): Row[] => times.map((atMs, index) => ({ id: index + 1, atMs, isSelected: true }));

test("a page by blocks of numbers has the same rows as a sort of all rows, also if a clock jumps", () => {
  const standstill = rowsAt(Array.from({ length: 100 }, () => 500));
  // At the start of each block the clock went back by a millisecond.
  const overlapping = rowsAt(Array.from({ length: 100 }, (_, index) => 500 + index - 2 * ((index + 1) >> SMALL)));
  fc.assert(
    fc.property(
      anyRows,
      fc.nat({ max: 160 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 700 }),
      fc.integer({ min: 400, max: 2000 }),
      (rows, skip, limit, fromMs, beforeMs) => {
        const blocks = blocksOver(rows, fromMs, beforeMs);
        expect(pageOf(blocks, skip, limit)).toEqual(blocks.expected.slice(skip, skip + limit));
      },
    ),
    {
      numRuns: 1000,
      examples: [0, 7, 49, 98].flatMap((skip) => [standstill, overlapping].map((rows) => [rows, skip, 7, 0, 2000])),
    },
  );
});

const rising = Array.from({ length: 400 }, (_, index) => index);

test.each([
  ["the blocks of the page, if time only rises", rising, 2],
  ["a few more, if one payment has a time in the future", rising.with(100, 5000), 15],
])("how many blocks are read: %s", (_what, times, most) => {
  for (const skip of [0, 100, 200, 397]) {
    let count = 0;
    const blocks = blocksOver(rowsAt(times), 0, 1e9, () => {
      count += 1;
    });
    expect(pageOf(blocks, skip, 2)).toEqual(blocks.expected.slice(skip, skip + 2));
    expect(count).toBeLessThanOrEqual(most);
  }
});
