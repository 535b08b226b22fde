import { join } from "node:path";
import { type Claim, newData } from "../support/bench.ts";
import { compare, leftOut } from "../support/line.ts";
import { cpuMs, knowsProcesses, residentMb, wakeUps } from "../support/proc.ts";
import { type Running, startLimit, startMomo } from "../support/servers.ts";

const QUIET_MS = 1500;

/** What an unused server costs. Both servers are measured at the same time. */
export const idle: Claim = async (bench) => {
  if (!knowsProcesses()) return [leftOut("idle", "needs /proc")];
  const { programs } = bench;
  const limit = await startLimit(programs, join(await newData(bench, "limit-idle"), "limit.db"));
  const momo = await startMomo(programs, await newData(bench, "idle"));
  await Bun.sleep(QUIET_MS);
  const samples = await Promise.all([watch(momo, 2 * bench.seconds), watch(limit, 2 * bench.seconds)]);
  await Promise.all([momo.stop(), limit.stop()]);
  const both = (key: keyof Sample) => ({ momo: [samples[0][key]], limit: [samples[1][key]] });
  return [
    compare({ claim: "idle: memory", unit: "MB", ...both("memoryMb"), goal: "≤ 1.4" }),
    compare({ claim: "idle: processor", unit: "ms/s", ...both("cpuMs"), goal: "≤ 1.4" }),
    compare({ claim: "idle: wake-ups of all threads", unit: "/s", ...both("wakeUps"), goal: "0" }),
  ];
};

interface Sample {
  readonly memoryMb: number;
  readonly cpuMs: number;
  readonly wakeUps: number;
}

async function watch({ pid }: Running, seconds: number): Promise<Sample> {
  const before = { cpu: cpuMs(pid), wakeUps: wakeUps(pid) };
  await Bun.sleep(seconds * 1000);
  return {
    memoryMb: residentMb(pid),
    cpuMs: (cpuMs(pid) - before.cpu) / seconds,
    wakeUps: (wakeUps(pid) - before.wakeUps) / seconds,
  };
}
