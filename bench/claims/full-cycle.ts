import { statSync } from "node:fs";
import { type Claim, limitData, newData } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { payments, WARM_UP_SECONDS } from "../support/load.ts";
import { databaseIn, type RunningMomo, startLimit, startMomo } from "../support/servers.ts";
import { alternate, timed } from "../support/statistics.ts";

const AFTER_MS = 500;

/** Starts and resolves payments until the last one has ended, and measures their size on disk. The bare limit only starts them. */
export const fullCycle: Claim = async (bench) => {
  const { programs, longRounds, seconds } = bench;
  const limit = await startLimit(programs.limit, limitData(bench, "limit-cycle", 0));
  const data = await newData(bench, "cycle");
  const momo = await startMomo(programs, data, ["--after", `${AFTER_MS}ms`]);
  await Promise.all([payments(limit, WARM_UP_SECONDS), cycle(momo, WARM_UP_SECONDS)]);
  const results = await alternate(longRounds, {
    limit: async () => (await payments(limit, 2 * seconds)).perSecond,
    momo: () => cycle(momo, 2 * seconds),
  });
  const rows = await countAt(momo, "");
  await Promise.all([limit.stop(), momo.stop()]);
  const bytes = statSync(databaseIn(data)).size / rows;
  return [
    compare({ claim: "start and resolve payments", unit: "/s", ...results, goal: "≥ 0.85" }),
    compare({ claim: "bytes on disk for a payment that has ended", unit: "", momo: [bytes], goal: "≤ 200" }),
  ];
};

/** @returns how many payments start and end in a second */
async function cycle(momo: RunningMomo, seconds: number): Promise<number> {
  let started = 0;
  const ms = await timed(async () => {
    started = (await payments(momo, seconds)).requests;
    await Bun.sleep(AFTER_MS);
    while ((await countAt(momo, "&status=pending")) > 0) await Bun.sleep(5);
  });
  return (started / (ms - AFTER_MS)) * 1000;
}

async function countAt(momo: RunningMomo, filter: string): Promise<number> {
  const answer = await fetch(`${momo.url}/transactions.php?limit=1${filter}`, { headers: momo.headers });
  return ((await answer.json()) as { pagination: { total_items: number } }).pagination.total_items;
}
