import { type Bench, type Claim, dataOf, rowsText } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { list, mixes } from "../support/listing.ts";
import { type RunningMomo, startMomo } from "../support/servers.ts";
import { median } from "../support/statistics.ts";

/** The list at the smallest and the largest size: each combination of filters, its first, middle and last page. */
export const listTransactions: Claim = async (bench) => {
  const [few, many] = [bench.sizes[0] ?? 0, bench.sizes.at(-1) ?? 0];
  const atFew = await latencies(bench, few);
  const atMany = await latencies(bench, many);
  const against = rowsText(few);
  const worst = (at: Map<string, number>) => [...at].toSorted((a, b) => b[1] - a[1])[0] ?? ["none", Number.NaN];
  const [worstMix, worstMs] = worst(atMany);
  return [
    compare({
      claim: `list at ${rowsText(many)}, ${atMany.size} mixes, median`,
      unit: "ms",
      momo: [...atMany.values()],
      limit: [...atFew.values()],
      against,
      goal: "≤ 2, < 5 ms",
    }),
    compare({
      claim: `the slowest mix (${worstMix})`,
      unit: "ms",
      momo: [worstMs],
      limit: [worst(atFew)[1]],
      against: `${against}, its slowest`,
      goal: "≤ 2, < 5 ms",
    }),
  ];
};

async function latencies(bench: Bench, rows: number): Promise<Map<string, number>> {
  const momo = await startMomo(bench.programs, await dataOf(bench, rows));
  const measured = new Map<string, number>();
  try {
    // Run it twice: the first run prepares the statements.
    for (const keep of [false, true]) {
      for (const mix of mixes(keep)) {
        const last = Math.max((await list(momo, `${mix}&page=1`)).totalPages, 1);
        if (!keep) continue;
        const pages = { first: 1, middle: Math.ceil(last / 2), last };
        for (const [name, page] of Object.entries(pages)) {
          measured.set(`${mix}, ${name} page`, await medianOfThree(momo, `${mix}&page=${page}`));
        }
      }
    }
  } finally {
    await momo.stop();
  }
  return measured;
}

async function medianOfThree(momo: RunningMomo, query: string): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 3; time += 1) times.push((await list(momo, query)).ms);
  return median(times);
}
