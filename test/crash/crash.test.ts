import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { SCENARIOS } from "./scenarios.ts";

afterAll(cleanUp);

/** The first rounds of `npm run crash`, the same ones each time. */
const SHORT: Record<string, { readonly rounds: number; readonly promise: string }> = {
  kill: { rounds: 4, promise: "`kill -9` under load: what was answered is there, once, and ends as it was going to" },
  stop: { rounds: 2, promise: "SIGTERM under load: gone within three seconds, with all that was answered on disk" },
  "full-disk": {
    rounds: 2,
    promise: "a full disk: 500 in the API's own shape, nothing stored, and back when there is space",
  },
  "read-only": { rounds: 1, promise: "a read-only database: two lines that say so, exit code 1, and nothing changed" },
  locked: { rounds: 2, promise: "a locked database: payments wait a second, then 500; the server still stops in time" },
  "clock-back": {
    rounds: 1,
    promise: "a clock that jumps back: nothing lost, nothing doubled, and every payment ends",
  },
};

for (const [name, { rounds, promise }] of Object.entries(SHORT)) {
  test.concurrent(promise, async () => {
    const figures = await SCENARIOS[name]?.scenario({ rounds, seed: 1, progress: () => {} });
    expect((figures?.rounds ?? 0) >= rounds || figures?.note.startsWith("left out")).toBe(true);
  });
}
