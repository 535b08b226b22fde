import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { named } from "../support/needs.ts";
import { runScenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

/** The first rounds of `npm run dev crash`, the same ones each time. */

afterAll(cleanUp);

for (const scenario of Object.values(SCENARIOS)) {
  const why = scenario.impossible?.() ?? "";
  test.concurrent.skipIf(why !== "")(named(scenario.promise, why), async () => {
    const { answered } = await runScenario(scenario, {
      rounds: scenario.shortRounds,
      seed: 1,
      progress: () => {},
    });
    expect(answered).toBeGreaterThan(0);
  });
}
