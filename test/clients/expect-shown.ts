import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import type { Standstill } from "./draws.ts";
import { live, type Verdict } from "./history.ts";
import type { StartClient } from "./world.ts";

/** A change of a client's source. */
export type Change = readonly [right: string, wrong: string];

/** A mistake in a client. A history must show it: as a finding of this kind, or by what the client did or said. */
export interface Mistake {
  readonly name: string;
  readonly shows: string | RegExp;
  /** The first history to live, by default 1: a short one of those that show it, the same in each language. */
  readonly from?: number;
  /** Where a process stands still in each history, for a mistake that shows in no other. */
  readonly standsBefore?: Standstill["before"];
  readonly mjs: readonly Change[];
}

/** What a history says of orders that a client got wrong. */
export const CHARGE = /was charged/;
export const ANSWER = /and the client says/;
export const DELIVERY = /and was delivered for/;

const MAX_SEEDS = 80;

/** Lives histories with a client that makes the mistake, until one shows it. */
export async function expectShown(
  { shows, from = 1, standsBefore }: Mistake,
  changes: readonly Change[],
  source: string,
  startFrom: (file: string) => Promise<StartClient>,
): Promise<void> {
  let text = readFileSync(source, "utf8");
  for (const [right, wrong] of changes) {
    if (!text.includes(right)) throw new Error(`${source} has no ${right}`);
    text = text.replace(right, () => wrong);
  }
  const file = join(newFolder(), basename(source));
  writeFileSync(file, text);
  const start = await startFrom(file);
  await expectFound(shows, from, (seed) => live(seed, start, standsBefore ? { standsBefore } : {}));
}

/** Lives histories until one shows the mistake. */
export async function expectFound(
  shows: Mistake["shows"],
  from: number,
  liveOne: (seed: number) => Promise<Verdict>,
): Promise<void> {
  for (let seed = from; seed < from + MAX_SEEDS; seed += 1) {
    const { wrong, findings } = await liveOne(seed);
    if (process.env.MOMO_TEST_TRACE) console.log(seed, wrong, findings.map(({ kind }) => kind).join(" "));
    const isShown =
      typeof shows === "string" ? findings.some(({ kind }) => kind === shows) : wrong.some((one) => shows.test(one));
    if (isShown) return;
  }
  throw new Error(`${MAX_SEEDS} histories do not show ${shows}`);
}
