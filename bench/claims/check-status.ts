import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Claim, dataOf, rowsText } from "../support/bench.ts";
import { checkoutIdsIn } from "../support/checkout-ids.ts";
import { compare } from "../support/line.ts";
import { type Round, statusChecks } from "../support/load.ts";
import { databaseIn, startLimit, startMomo } from "../support/servers.ts";
import { alternate } from "../support/statistics.ts";

/** So many payments wait for their outcomes at a time, and are asked about again and again. */
const POLLED = 1000;

/** Checking statuses; the limit selects the same row of a copy of the same database by the same index. */
export const checkStatus: Claim = async (bench) => {
  const { programs, rounds, longRounds, seconds, folder } = bench;
  const rows = bench.sizes[0] ?? 0;
  const data = await dataOf(bench, rows);
  const copy = join(folder, "status-limit.db");
  copyFileSync(databaseIn(data), copy);
  const [momo, limit] = [await startMomo(programs, data), await startLimit(programs, copy)];

  const measure = async (ids: number, times: number) => {
    const idsFile = join(folder, `ids-${ids}.txt`);
    writeFileSync(idsFile, checkoutIdsIn(copy, ids).join("\n"));
    await Promise.all([statusChecks(limit, 1, idsFile), statusChecks(momo, 1, idsFile)]);
    const results = await alternate(times, {
      limit: () => statusChecks(limit, seconds, idsFile),
      momo: () => statusChecks(momo, seconds, idsFile),
    });
    return { momo: results.momo.map(rateOf), limit: results.limit.map(rateOf) };
  };
  const polled = await measure(POLLED, rounds);
  // More than momo keeps in memory: each is read from the database.
  const each = await measure(rows, longRounds);
  await Promise.all([momo.stop(), limit.stop()]);
  return [
    compare({ claim: "check a status, 64 connections", unit: "/s", ...polled, goal: "≥ 0.75" }),
    compare({ claim: `the same, each of ${rowsText(rows)} in turn`, unit: "/s", ...each, goal: "-" }),
  ];
};

const rateOf = ({ perSecond }: Round) => perSecond;
