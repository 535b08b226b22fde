import { join } from "node:path";
import { type Bench, type Claim, dataOf, newData, rowsText } from "../support/bench.ts";
import { compare, type Line, leftOut } from "../support/line.ts";
import { cpuMs, knowsProcesses, residentMb, wakeUps } from "../support/machine.ts";
import { run } from "../support/processes.ts";
import { databaseIn, type Running, startLimit, startMomo } from "../support/servers.ts";
import { alternate, timed } from "../support/statistics.ts";

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

const ROUNDS = 11;

/** The time from the start of a process to its first answer, and the time of `--version`. */
export const startup: Claim = async (bench) => {
  const { momo, limit, plain } = bench.programs;
  const versions = await alternate(2 * ROUNDS, {
    limit: () => timed(() => run([limit, "--version"], "/")),
    plain: () => timed(() => run([plain, "--version"], "/")),
    momo: () => timed(() => run([momo, "--version"], "/")),
  });
  const full = await dataOf(bench, bench.startSize);
  return [
    compare({ claim: "momo --version", unit: "ms", ...versions, goal: "≤ 12 ms" }),
    await readiness(bench, "ready after spawn, empty", "≤ 2.0", newPlaces(bench)),
    await readiness(bench, `ready after spawn, ${rowsText(bench.startSize)}`, "-", () => ({
      data: full,
      database: databaseIn(full),
    })),
  ];
};

/** The data directory of momo, and the database of the bare limit. */
interface Place {
  readonly data: string;
  readonly database: string;
}

/** @returns a function that returns a new, empty place at each call */
function newPlaces({ folder }: Bench): () => Place {
  let count = 0;
  return () => {
    count += 1;
    return { data: join(folder, `empty-${count}`), database: join(folder, `empty-${count}.db`) };
  };
}

async function readiness({ programs }: Bench, claim: string, goal: string, place: () => Place): Promise<Line> {
  const results = await alternate(ROUNDS, {
    limit: () => firstAnswer(startLimit(programs.limit, place().database), ({ url }) => url),
    plain: () => firstAnswer(startLimit(programs.plain, `${place().database}-plain`), ({ url }) => url),
    momo: () => firstAnswer(startMomo(programs, place().data), ({ controlUrl }) => `${controlUrl}/health`),
  });
  return compare({ claim, unit: "ms", ...results, goal });
}

async function firstAnswer<S extends Running>(starting: Promise<S>, urlOf: (server: S) => string): Promise<number> {
  const startedMs = performance.now();
  const server = await starting;
  const response = await fetch(urlOf(server));
  await response.text();
  const readyMs = performance.now() - startedMs;
  if (!response.ok) throw new Error(`not ready: ${response.status}`);
  await server.stop();
  return readyMs;
}
