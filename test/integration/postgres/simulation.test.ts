import { describe, expect, test } from "bun:test";
import { simulate } from "../../simulation/run.ts";
import { available } from "../../support/postgres.ts";
import { postgresEngine } from "./simulated-engine.ts";

/** What a server outside does takes its own time, so that a seed is a history, but not the same one each time. */
const SEEDS = [1, 3];

for (const version of available()) {
  describe(`on PostgreSQL ${version}, too, every answer is as the documentation foretells`, () => {
    test.each(SEEDS)("seed %p", async (seed) => {
      const { operations } = await simulate(seed, { engine: await postgresEngine(version), steps: 100 });
      expect(operations).toBeGreaterThan(50);
    });
  });
}
