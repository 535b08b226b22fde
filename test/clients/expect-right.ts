import { live } from "./history.ts";
import type { StartClient } from "./world.ts";

const { MOMO_TEST_SEED, MOMO_TEST_SEEDS } = process.env;

/** Lives histories with a client; MOMO_TEST_SEEDS is how many, and MOMO_TEST_SEED the first. */
export async function expectRight(start: StartClient, name: string, usualSeeds: number): Promise<void> {
  const first = Number(MOMO_TEST_SEED ?? 1);
  for (let seed = first; seed < first + Number(MOMO_TEST_SEEDS ?? usualSeeds); seed += 1) {
    const { wrong, findings } = await live(seed, start);
    const mistakes = findings
      .filter(({ severity }) => severity !== "note")
      .map((found) => `${found.kind}: ${found.message}`);
    if (wrong.length + mistakes.length === 0) continue;
    const again = `again: MOMO_TEST_SEED=${seed} MOMO_TEST_SEEDS=1 node_modules/.bin/bun test -t '${name}' ./test`;
    throw new Error([`seed ${seed}`, ...wrong, ...mistakes, again].join("\n"));
  }
}
