import type { Mistake } from "./expect-shown.ts";
import { type Choices, live } from "./history.ts";
import type { StartClient } from "./world.ts";

const { MOMO_TEST_SEED, MOMO_TEST_SEEDS } = process.env;

/** Lives histories with a client; MOMO_TEST_SEEDS is how many, and MOMO_TEST_SEED the first. */
export async function expectRight(start: StartClient, name: string, usualSeeds: number): Promise<void> {
  const first = Number(MOMO_TEST_SEED ?? 1);
  for (let seed = first; seed < first + Number(MOMO_TEST_SEEDS ?? usualSeeds); seed += 1) {
    const again = `again: MOMO_TEST_SEED=${seed} MOMO_TEST_SEEDS=1 node_modules/.bin/bun test -t '${name}' ./test`;
    await expectNothingWrong(seed, start, {}, again);
  }
}

/** Lives the histories that show these mistakes. A client that makes one of them, in any language, fails here. */
export async function expectNoMistake(start: StartClient, mistakes: readonly Mistake[]): Promise<void> {
  const lived = new Set<string>();
  for (const { name, from = 1, standsBefore } of mistakes) {
    const history = `${from} ${standsBefore}`;
    if (lived.has(history)) continue;
    lived.add(history);
    await expectNothingWrong(from, start, standsBefore ? { standsBefore } : {}, `it shows a client that ${name}`);
  }
}

async function expectNothingWrong(seed: number, start: StartClient, choices: Choices, note: string): Promise<void> {
  const { wrong, findings } = await live(seed, start, choices);
  const mistakes = findings
    .filter(({ severity }) => severity !== "note")
    .map((found) => `${found.kind}: ${found.message}`);
  if (wrong.length + mistakes.length === 0) return;
  throw new Error([`seed ${seed}`, ...wrong, ...mistakes, note].join("\n"));
}
