import { expect, test } from "bun:test";
import { simulate } from "../../simulation/run.ts";
import { describePostgres } from "../../support/postgres.ts";
import { postgresEngine } from "./simulated-engine.ts";

/** A real server takes its own time, so a seed does not give the same run each time. */
const SEEDS = { "15": 1, "18": 3 };

describePostgres((version) => {
  test(`every answer is as the documentation predicts: seed ${SEEDS[version]}`, async () => {
    const { operations } = await simulate(SEEDS[version], { engine: await postgresEngine(version), steps: 100 });
    expect(operations).toBeGreaterThan(50);
  });
});
