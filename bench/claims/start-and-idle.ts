import { join } from "node:path";
import { run } from "../../scripts/release/run.ts";
import { cpuMs, residentMb, wakeUps } from "../support/machine.ts";
import {
  type Bench,
  type Claim,
  databaseIn,
  dataOf,
  type Running,
  rowsText,
  startAll,
  startLimit,
  startMomo,
} from "../support/servers.ts";
import { alternate, compare, figures, timed } from "../support/table.ts";

const QUIET_MS = 1500;

/** What an unused server costs. All servers are measured at the same time. */
export const idle: Claim = async (bench) => {
  const { servers, stop } = await startAll(bench, "idle");
  await Bun.sleep(QUIET_MS);
  const watched = Object.entries(servers).map(async ([name, server]) => [
    name,
    [await watch(server, 2 * bench.seconds)],
  ]);
  const samples: Record<keyof typeof servers, Sample[]> = Object.fromEntries(await Promise.all(watched));
  await stop();
  return [
    compare("idle: memory", "MB", figures(samples, "memoryMb"), "≤ 40 MB"),
    compare("idle: processor", "ms/s", figures(samples, "cpu"), "≤ 1.4"),
    compare("idle: wake-ups of all threads", "/s", figures(samples, "wakeUps"), "0"),
  ];
};

interface Sample {
  readonly memoryMb: number;
  readonly cpu: number;
  readonly wakeUps: number;
}

async function watch({ pid }: Running, seconds: number): Promise<Sample> {
  const before = { cpu: cpuMs(pid), wakeUps: wakeUps(pid) };
  await Bun.sleep(seconds * 1000);
  return {
    memoryMb: residentMb(pid),
    cpu: (cpuMs(pid) - before.cpu) / seconds,
    wakeUps: (wakeUps(pid) - before.wakeUps) / seconds,
  };
}

const ROUNDS = 11;

/** The time from the start of a process to its first answer, and the time of `--version`. */
export const startup: Claim = async (bench) => {
  const { limit, plain, momo } = bench.programs;
  const version = (program: string) => timed(() => run([program, "--version"]));
  const versions = await alternate(2 * ROUNDS, { limit, plain, momo }, version);
  const full = await dataOf(bench, bench.startRows);
  let count = 0;
  const emptyPlace = () => join(bench.folder, `empty-${++count}`);
  return [
    compare("momo --version", "ms", versions, "≤ 12 ms"),
    compare("ready after spawn, empty", "ms", await readiness(bench, emptyPlace, emptyPlace), "≤ 2.0"),
    compare(
      `ready after spawn, ${rowsText(bench.startRows)}`,
      "ms",
      await readiness(
        bench,
        () => full,
        () => databaseIn(full),
      ),
      "-",
    ),
  ];
};

/** @param dataOfNext the data directory of momo's next start @param fileOfNext the database of a limit's next start */
async function readiness(bench: Bench, dataOfNext: () => string, fileOfNext: () => string) {
  const { programs } = bench;
  const contenders = {
    limit: () => firstAnswer(startLimit(programs.limit, fileOfNext()), ({ url }) => url),
    plain: () => firstAnswer(startLimit(programs.plain, `${fileOfNext()}-plain`), ({ url }) => url),
    momo: () => firstAnswer(startMomo(bench, dataOfNext()), ({ controlUrl }) => `${controlUrl}/health`),
  };
  return alternate(ROUNDS, contenders, (start) => start());
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
