import type { Random } from "../../src/domain/random.ts";

/** Whole numbers below 2^32, the same for the same seed. The lower 32 bits of the seed count. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** The same bytes for the same seed. */
export function seededRandom(seed: number): Random {
  const next = mulberry32(seed);
  return { bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff) };
}

/** Whole numbers from 0 to below `count`, the same for the same seed. */
export type Draw = (count: number) => number;

export function drawFrom(seed: number): Draw {
  const next = mulberry32(seed);
  return (count) => next() % count;
}

/**
 * Some tests draw their input. `npm test` tries a few inputs of seed 1; `npm run dev crash` and `npm run dev hostile` try many times
 * as many of a new seed, and `npm run dev failover` fails over as often.
 */
export const TIMES = Number(process.env.MOMO_TEST_TIMES ?? 1);
export const SEED = Number(process.env.MOMO_TEST_SEED ?? 1);
