import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { runScenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

/** The first rounds of `npm run crash`, the same ones each time. */

afterAll(cleanUp);

for (const scenario of Object.values(SCENARIOS)) {
  test.concurrent(scenario.promise, async () => {
    const { note, answered } = await runScenario(scenario, {
      rounds: scenario.shortRounds,
      seed: 1,
      progress: () => {},
    });
    if (!note.startsWith("left out")) expect(answered).toBeGreaterThan(0);
  });
}
