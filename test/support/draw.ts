import { seededRandom } from "./random.ts";

/** Whole numbers from 0 to below `count`, the same for the same seed. */
export type Draw = (count: number) => number;

export function drawFrom(seed: number): Draw {
  const random = seededRandom(seed);
  return (count) => new DataView(random.bytes(4).buffer).getUint32(0) % count;
}
