import { describe, expect, test } from "bun:test";
import { rejectionOf } from "../support/waiting.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { SimulationFailure, simulate } from "./run.ts";

/** The number of seeds that find every mutant; without a mutant all of them pass (simulation.test.ts). */
const SEEDS = 12;

async function simulateBroken(mutant: Mutant): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed += 1) await simulate(seed, { mutant });
}

describe(`the simulation finds in ${SEEDS} seeds that`, () => {
  test.each(Object.entries(MUTANTS))("%s", async (_name, mutant) => {
    expect(await rejectionOf(simulateBroken(mutant))).toBeInstanceOf(SimulationFailure);
  });
});
