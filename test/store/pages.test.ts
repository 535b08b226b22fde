import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Block, type Blocks, type Key, newestFirst, pick } from "../../src/store/sqlite/pages.ts";

/** Pages found by blocks, against a sort of all rows: whatever clocks did while the rows were made. */

const [SMALL, GREAT] = [2, 4];

interface Row extends Key {
  readonly isSelected: boolean;
}

/** Blocks of 4 and of 16 numbers over some rows, as the store keeps them: a block's times hold rows that are not selected, too. */
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

/** Time that mostly stands still or goes on, and sometimes jumps ahead or back. */
const anyRows = fc
  .array(
    fc.record({
      step: fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 0, max: 3 }) },
        { weight: 1, arbitrary: fc.integer({ min: -60, max: 60 }) },
      ),
      isSelected: fc.boolean(),
      leavesNoGap: fc.nat({ max: 9 }),
    }),
    { maxLength: 150 },
  )
  .map((steps) => {
    let atMs = 500;
    const rows: Row[] = [];
    for (const [index, { step, isSelected, leavesNoGap }] of steps.entries()) {
      atMs += step;
      if (leavesNoGap > 0) rows.push({ id: index + 1, atMs, isSelected });
    }
    return rows;
  });

describe("a page by blocks of numbers holds the rows that a sort of all puts there", () => {
  test("wherever it begins, whatever clocks did, and whichever times are asked for", () => {
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
      { numRuns: 1000 },
    );
  });

  test.each([
    ["stood still all the time", () => 7],
    ["went back by a millisecond at the start of each block", (id: number) => id - 2 * Math.floor(id / 2 ** SMALL)],
  ])("also if the clock %s", (_what, atMsOf) => {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      id: index + 1,
      atMs: atMsOf(index + 1),
      isSelected: true,
    }));
    const blocks = blocksOver(rows, 0, 1000);
    for (let skip = 0; skip < 100; skip += 7)
      expect(pageOf(blocks, skip, 7)).toEqual(blocks.expected.slice(skip, skip + 7));
  });
});

describe("how much is read for it", () => {
  const read: number[] = [];
  const page = (rows: readonly Row[], skip: number) => {
    read.length = 0;
    const blocks = blocksOver(rows, 0, 1e9, (block) => read.push(block));
    expect(pageOf(blocks, skip, 2)).toEqual(blocks.expected.slice(skip, skip + 2));
    return read.length;
  };

  test("where time only goes on, the blocks that the page is in", () => {
    const rows = Array.from({ length: 400 }, (_, index) => ({ id: index + 1, atMs: index, isSelected: true }));
    for (const skip of [0, 100, 200, 397]) expect(page(rows, skip)).toBeLessThanOrEqual(2);
  });

  test("where one payment was made in the future, a few more: not all that came afterwards", () => {
    const rows = Array.from({ length: 400 }, (_, index) => ({
      id: index + 1,
      atMs: index === 100 ? 5000 : index,
      isSelected: true,
    }));
    for (const skip of [0, 100, 200, 397]) expect(page(rows, skip)).toBeLessThanOrEqual(15);
  });
});
