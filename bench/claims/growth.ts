import { type Bench, dataOf, rowsText } from "../support/bench.ts";
import { list, mixes } from "../support/listing.ts";
import { payments } from "../support/load.ts";
import { startMomo } from "../support/servers.ts";
import { median } from "../support/statistics.ts";

/** The figures of momo at one size of the database. */
export interface Point {
  readonly rows: number;
  /** The median time of a page of the list: each type and status, first and last page. */
  readonly listMs: number;
  /** How many payments start in a second. */
  readonly perSecond: number;
}

/** Measures the list and payments at each size, for the chart. It runs last, because the payments add rows. */
export async function growth(bench: Bench): Promise<Point[]> {
  const points: Point[] = [];
  for (const rows of bench.sizes) {
    const data = await dataOf(bench, rows);
    bench.progress(`growth at ${rowsText(rows)}`);
    const momo = await startMomo(bench.programs, data, ["--outcome", "manual", "--prompt-timeout", "1h"]);
    const times: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      for (const mix of mixes(false)) {
        const { ms, totalPages } = await list(momo, `${mix}&page=1`);
        const last = await list(momo, `${mix}&page=${Math.max(totalPages, 1)}`);
        if (time > 0) times.push(ms, last.ms); // the first time prepares the statements
      }
    }
    const rates: number[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      rates.push((await payments(momo, Math.min(bench.seconds, 2))).perSecond);
    }
    await momo.stop();
    points.push({ rows, listMs: median(times), perSecond: median(rates) });
  }
  return points;
}
