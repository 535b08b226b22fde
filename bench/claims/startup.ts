import { join } from "node:path";
import { type Bench, type Claim, dataOf, newData, rowsText } from "../support/bench.ts";
import { compare, type Line } from "../support/line.ts";
import { run } from "../support/processes.ts";
import { databaseIn, type Running, startLimit, startMomo } from "../support/servers.ts";
import { alternate, timed } from "../support/statistics.ts";

const ROUNDS = 11;

/** From the start of a process to its first answer, and of one that only prints its version. */
export const startup: Claim = async (bench) => {
  const { momo, limit } = bench.programs;
  const versions = await alternate(2 * ROUNDS, {
    limit: () => timed(() => run([limit, "--version"], "/")),
    momo: () => timed(() => run([momo, "--version"], "/")),
  });
  const full = await dataOf(bench, bench.startSize);
  return [
    compare({ claim: "momo --version", unit: "ms", ...versions, goal: "≤ 12 ms" }),
    await readiness(bench, "ready after spawn, empty", () => newName(bench)),
    await readiness(bench, `ready after spawn, ${rowsText(bench.startSize)}`, async () => full),
  ];
};

let folders = 0;

async function newName({ folder }: Bench): Promise<string> {
  folders += 1;
  return join(folder, `empty-${folders}`);
}

async function readiness(bench: Bench, claim: string, data: () => Promise<string>): Promise<Line> {
  const { programs } = bench;
  const empty = await newData(bench, "limit-ready");
  const results = await alternate(ROUNDS, {
    limit: async () => {
      const folder = await data();
      const file = folder.includes("empty") ? join(empty, `${folders}.db`) : databaseIn(folder);
      return firstAnswer(startLimit(programs, file), ({ url }) => url);
    },
    momo: async () => firstAnswer(startMomo(programs, await data()), ({ controlUrl }) => `${controlUrl}/health`),
  });
  return compare({ claim, unit: "ms", ...results, goal: "≤ 1.5" });
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
