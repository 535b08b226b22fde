import { describe, expect, test } from "bun:test";
import { simulate } from "../../simulation/run.ts";
import { available } from "../../support/postgres.ts";
import { postgresEngine } from "./simulated-engine.ts";

/** A real server takes its own time, so a seed does not give the same run each time. */
const SEEDS = [1, 3];

for (const version of available()) {
  describe(`on PostgreSQL ${version}, too, every answer is as the documentation predicts`, () => {
    test.each(SEEDS)("seed %p", async (seed) => {
      const { operations } = await simulate(seed, { engine: await postgresEngine(version), steps: 100 });
      expect(operations).toBeGreaterThan(50);
    });
  });
}
