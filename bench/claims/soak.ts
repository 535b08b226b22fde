import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, type Claim, newData } from "../support/bench.ts";
import { compare, leftOut } from "../support/line.ts";
import { payments, statusChecks } from "../support/load.ts";
import { checkoutIdsIn } from "../support/loader.ts";
import { knowsProcesses, residentMb } from "../support/machine.ts";
import { databaseIn, startMomo } from "../support/servers.ts";
import { median } from "../support/statistics.ts";

/** A shop that starts a payment every second, and polls each five times. */
const REQUESTS_A_DAY = 6 * 24 * 60 * 60;

interface Sample {
  readonly memoryMb: number;
  readonly logMb: number;
}

/** The requests of a busy day, as fast as possible: do memory and the write-ahead log stop growing? */
export const soak: Claim = async (bench) => {
  if (!knowsProcesses()) return [leftOut("soak", "needs /proc")];
  const requests = Math.round(REQUESTS_A_DAY * bench.days);
  const samples = await busyDay(bench, requests);
  const warm = Math.floor(samples.length / 4);
  const quarter = Math.max(1, warm);
  const memory = (some: readonly Sample[]) => some.map(({ memoryMb }) => memoryMb);
  const claim = `after ${requests.toLocaleString("en")} requests`;
  return [
    compare({
      claim: `${claim}: memory`,
      unit: "MB",
      momo: memory(samples.slice(-quarter)),
      limit: memory(samples.slice(warm, warm + quarter)),
      against: "in the second quarter",
      goal: "flat",
    }),
    compare({
      claim: `${claim}: largest log of writes`,
      unit: "MB",
      momo: [Math.max(...samples.map(({ logMb }) => logMb))],
      limit: [median(samples.map(({ logMb }) => logMb))],
      against: "median",
      goal: "bounded",
    }),
  ];
};

async function busyDay(bench: Bench, requests: number): Promise<Sample[]> {
  const data = await newData(bench, "soak");
  const database = databaseIn(data);
  const idsFile = join(bench.folder, "soak-ids.txt");
  const momo = await startMomo(bench.programs, data);
  const samples: Sample[] = [];
  for (let done = 0; done < requests; ) {
    const started = await payments(momo, 1);
    writeFileSync(idsFile, checkoutIdsIn(database, 1000).join("\n"));
    const polled = await statusChecks(momo, 2, idsFile);
    done += started.requests + polled.requests;
    samples.push({ memoryMb: residentMb(momo.pid), logMb: statSync(`${database}-wal`).size / 1e6 });
  }
  await momo.stop();
  return samples;
}
