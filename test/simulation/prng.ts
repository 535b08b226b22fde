import type { Random } from "../../src/domain/random.ts";
import { mulberry32 } from "../support/random.ts";

/** Random numbers, the same for the same seed. A simulation has no other source of randomness. */
export interface Prng extends Random {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** True in about `probability` of all cases. */
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** A name, drawn by its weight. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K;
  /** A separate stream: more draws from one do not change the draws from the other. */
  fork(): Prng;
}

/** @param seed a whole number; its lower 32 bits count */
export function createPrng(seed: number): Prng {
  const draw = mulberry32(seed);
  /** From 0 to below 1. */
  const next = () => draw() / 2 ** 32;
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    int,
    chance: (probability) => next() < probability,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new Error("there is nothing to pick from");
      return values[int(0, values.length - 1)] as T;
    },
    weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return entries[0]?.[0] as K; // rounding left a rest
    },
    fork: () => createPrng(int(0, 2 ** 32 - 1)),
    bytes: (count) => Uint8Array.from({ length: count }, () => int(0, 255)),
  };
}
