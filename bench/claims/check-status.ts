import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Claim, dataOf } from "../support/bench.ts";
import { checkoutIdsIn } from "../support/checkout-ids.ts";
import { compare } from "../support/line.ts";
import { type Round, statusChecks } from "../support/load.ts";
import { databaseIn, startLimit, startMomo } from "../support/servers.ts";
import { alternate } from "../support/statistics.ts";

const IDS = 1000;

/** Checking statuses; the limit selects the same row of a copy of the same database by the same index. */
export const checkStatus: Claim = async (bench) => {
  const { programs, rounds, seconds, folder } = bench;
  const data = await dataOf(bench, bench.sizes[0] ?? 0);
  const copy = join(folder, "status-limit.db");
  copyFileSync(databaseIn(data), copy);
  const idsFile = join(folder, "ids.txt");
  writeFileSync(idsFile, checkoutIdsIn(copy, IDS).join("\n"));

  const [momo, limit] = [await startMomo(programs, data), await startLimit(programs, copy)];
  await Promise.all([statusChecks(limit, 1, idsFile), statusChecks(momo, 1, idsFile)]);
  const results = await alternate(rounds, {
    limit: () => statusChecks(limit, seconds, idsFile),
    momo: () => statusChecks(momo, seconds, idsFile),
  });
  await Promise.all([momo.stop(), limit.stop()]);

  const rates = (measured: readonly Round[]) => measured.map(({ perSecond }) => perSecond);
  return [
    compare({
      claim: "check a status, 64 connections",
      unit: "/s",
      momo: rates(results.momo),
      limit: rates(results.limit),
      goal: "≥ 0.75",
    }),
  ];
};
