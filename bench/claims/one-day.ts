import { existsSync } from "node:fs";
import { join } from "node:path";
import { STATUSES } from "../../src/domain/transaction.ts";
import { type Bench, type Claim, newData, rowsText } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { list } from "../support/listing.ts";
import { loadHistory } from "../support/loader.ts";
import { databaseIn, startMomo } from "../support/servers.ts";
import { median } from "../support/statistics.ts";

const FEW = 23_000;
const HOUR_MS = 3_600_000;

/** Pages of ten payments when all are of one day: the first, middle and last page, for all statuses and for each. */
export const oneDay: Claim = async (bench) => {
  const many = bench.sizes.at(-1) ?? 0;
  const [atFew, atMany] = [await latencies(bench, FEW), await latencies(bench, many)];
  const worst = (times: readonly number[]) => Math.max(...times);
  const against = rowsText(FEW);
  const claim = `a page of ten, ${rowsText(many)} of one day`;
  return [
    compare({ claim, unit: "ms", momo: atMany, limit: atFew, against, goal: "≤ 2, < 2 ms" }),
    compare({
      claim: "the slowest of them",
      unit: "ms",
      momo: [worst(atMany)],
      limit: [worst(atFew)],
      against,
      goal: "≤ 2, < 2 ms",
    }),
  ];
};

async function latencies(bench: Bench, rows: number): Promise<number[]> {
  const data = join(bench.folder, `day-${rows}`);
  if (!existsSync(databaseIn(data))) {
    bench.progress(`loading ${rowsText(rows)} of one day`);
    await newData(bench, `day-${rows}`);
    // Yesterday at noon in Nairobi, far from midnight.
    const noonMs = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 15 * HOUR_MS;
    loadHistory(databaseIn(data), rows, noonMs + 8 * HOUR_MS, 16 * HOUR_MS);
  }
  const momo = await startMomo(bench.programs, data);
  const measured: number[] = [];
  for (const filter of ["", ...STATUSES.map((status) => `&status=${status}`)]) {
    const last = Math.max((await list(momo, `limit=10${filter}&page=1`)).totalPages, 1);
    for (const page of [1, Math.ceil(last / 2), last]) {
      const times: number[] = [];
      for (let time = 0; time < 7; time += 1) times.push((await list(momo, `limit=10${filter}&page=${page}`)).ms);
      measured.push(median(times));
    }
  }
  await momo.stop();
  return measured;
}
