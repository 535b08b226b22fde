import { join } from "node:path";
import { type Claim, newData } from "../support/bench.ts";
import { compare, leftOut } from "../support/line.ts";
import { cpuMs, knowsProcesses, residentMb, wakeUps } from "../support/proc.ts";
import { type Running, startLimit, startMomo } from "../support/servers.ts";

const QUIET_MS = 1500;

/** What an unused server costs. All servers are measured at the same time. */
export const idle: Claim = async (bench) => {
  if (!knowsProcesses()) return [leftOut("idle", "needs /proc")];
  const { programs } = bench;
  const files = await newData(bench, "limit-idle");
  const limit = await startLimit(programs.limit, join(files, "limit.db"));
  const plain = await startLimit(programs.plain, join(files, "plain.db"));
  const momo = await startMomo(programs, await newData(bench, "idle"));
  await Bun.sleep(QUIET_MS);
  const servers = [momo, limit, plain] as const;
  const [ours, bare, simple] = await Promise.all(servers.map((server) => watch(server, 2 * bench.seconds)));
  await Promise.all(servers.map((server) => server.stop()));
  const both = (key: keyof Sample) => ({
    momo: [ours?.[key] ?? Number.NaN],
    limit: [bare?.[key] ?? Number.NaN],
    plain: [simple?.[key] ?? Number.NaN],
  });
  return [
    compare({ claim: "idle: memory", unit: "MB", ...both("memoryMb"), goal: "≤ 40 MB" }),
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
