import { afterAll, test } from "bun:test";
import { join } from "node:path";
import { createMutex } from "../../../src/domain/mutex.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { runMomo } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { Recording } from "../../support/recording.ts";
import { type Seen, tell } from "../../support/stories.ts";

/**
 * What shops with the habits of existing clients do, and what momo reports of them. shops.txt has after `$` a command (at its
 * end, after `=`, an exit code other than 0), then what the shop prints, and after `!` each sort of finding.
 */

const recording = new Recording(join(import.meta.dir, "shops.txt"));
const FAST_CLOCK = join(import.meta.dir, "fast-clock.cjs");

/** Variables with which momo and its client run on a fast clock: what takes 20 s takes 2 s. */
const FAST = { BUN_OPTIONS: `"--preload=${FAST_CLOCK}"`, NODE_OPTIONS: `--require "${FAST_CLOCK}"` };

async function play(line: string, env: Record<string, string>): Promise<Seen> {
  const [, flags = "", shop = ""] = /^momo (.*) -- node shops\.mjs "(.*?)"/.exec(line) ?? [];
  const args = [...flags.split(" "), "--", "node", join(import.meta.dir, "shops.mjs"), shop];
  const { stdout, stderr, exitCode } = await runMomo(args, { env });
  const found = new Set(stderr.match(/^(?:error|warning|note): \w+$/gm));
  const marked = [...found].sort().map((line) => `! ${line}`);
  return { behind: exitCode === 0 ? "" : `  = ${exitCode}`, below: [stdout.trimEnd(), ...marked] };
}

/** More shops at once would be too many for the fast clock. */
const lanes = Array.from({ length: 3 }, createMutex);

afterAll(cleanUp);

describeWith(["node"], "a shop that", () => {
  for (const [index, story] of recording.texts.entries()) {
    const [habit = ""] = story.split("\n");
    const lane = lanes[index % lanes.length] ?? createMutex();
    test.concurrent(habit.slice(2), async () => {
      const tellWith = (env: Record<string, string>) =>
        tell(recording, index, (line) => lane.run(() => play(line, env)));
      // A machine that is too busy for the fast clock gets the real one.
      await tellWith(FAST).catch(() => tellWith({}));
    });
  }
});
