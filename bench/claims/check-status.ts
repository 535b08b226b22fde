import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Claim, dataOf, limitData, rowsText } from "../support/bench.ts";
import { checkoutIdsIn } from "../support/checkout-ids.ts";
import { limitIdsIn } from "../support/limit-table.ts";
import { compare } from "../support/line.ts";
import { type Round, statusChecks, WARM_UP_SECONDS } from "../support/load.ts";
import { databaseIn, startLimit, startMomo } from "../support/servers.ts";
import { alternate } from "../support/statistics.ts";

/** How many payments the clients poll repeatedly. */
const POLLED = 1000;

/** Reads the status of payments. The bare limit finds a row of its own table by its number. */
export const checkStatus: Claim = async (bench) => {
  const { programs, rounds, longRounds, seconds, folder } = bench;
  const rows = bench.sizes[0] ?? 0;
  const data = await dataOf(bench, rows);
  const limitFile = limitData(bench, "limit-status", rows);
  const [momo, limit] = [await startMomo(programs, data), await startLimit(programs, limitFile)];

  const measure = async (ids: number, times: number) => {
    const idsOf = { momo: join(folder, `ids-${ids}.txt`), limit: join(folder, `limit-ids-${ids}.txt`) };
    writeFileSync(idsOf.momo, checkoutIdsIn(databaseIn(data), ids).join("\n"));
    writeFileSync(idsOf.limit, limitIdsIn(limitFile, ids).join("\n"));
    await Promise.all([
      statusChecks(limit, WARM_UP_SECONDS, idsOf.limit),
      statusChecks(momo, WARM_UP_SECONDS, idsOf.momo),
    ]);
    const results = await alternate(times, {
      limit: () => statusChecks(limit, seconds, idsOf.limit),
      momo: () => statusChecks(momo, seconds, idsOf.momo),
    });
    return { momo: results.momo.map(rateOf), limit: results.limit.map(rateOf) };
  };
  const polled = await measure(POLLED, rounds);
  // More payments than momo keeps in memory, so it reads each from the database.
  const each = await measure(rows, longRounds);
  await Promise.all([momo.stop(), limit.stop()]);
  return [
    compare({ claim: "check a status, 64 connections", unit: "/s", ...polled, goal: "≥ 0.75" }),
    compare({ claim: `the same, each of ${rowsText(rows)} in turn`, unit: "/s", ...each, goal: "≥ 0.60" }),
  ];
};

const rateOf = ({ perSecond }: Round) => perSecond;
