import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../scripts/release/run.ts";
import { payments, startedIds, statusChecks, WARM_UP_SECONDS } from "../support/load.ts";
import { cpuMs } from "../support/machine.ts";
import { type Bench, type Claim, newData, ROOT, type Running, STAY_PENDING, startMomo } from "../support/servers.ts";
import { alternate, compare, figures, type Line, leftOut } from "../support/table.ts";

/**
 * The processor time of a payment and of a status, beside those of the last release: many small changes that each cost a little
 * are seen here, which no ratio to the limit shows.
 */
export const cost: Claim = async (bench) => {
  const revision = await comparedRevision();
  let before: string;
  try {
    before = await buildOf(bench, revision);
  } catch (error) {
    const [reason = ""] = String((error as Error).message).split("\n");
    return [leftOut("processor time of a payment", `left out: ${revision} cannot be built here: ${reason}`)];
  }
  const momo = await startMomo(bench, await newData(bench, "cost"), STAY_PENDING);
  const old = { ...bench, programs: { ...bench.programs, momo: before } };
  const limit = await startMomo(old, await newData(old, "cost-before"), STAY_PENDING);
  const servers = { limit, momo };
  const lines = await measure(bench, servers, revision);
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  return lines;
};

type Servers = Readonly<Record<"limit" | "momo", Running>>;

async function measure(bench: Bench, servers: Servers, against: string): Promise<Line[]> {
  const all = Object.entries(servers);
  const fileOf = (name: string) => join(bench.folder, `cost-${name}.txt`);
  await Promise.all(all.map(([name, server]) => startedIds(server, POLLED, fileOf(name))));
  await Promise.all(all.map(([, server]) => payments(server, WARM_UP_SECONDS)));
  const results = await alternate(bench.rounds, servers, async (server: Running, name) => ({
    start: await processorUs(server, () => payments(server, bench.seconds)),
    status: await processorUs(server, () => statusChecks(server, bench.seconds, fileOf(name))),
  }));
  return [
    compare("processor time of a payment", "µs", { ...figures(results, "start"), against }, "≤ 1.0"),
    compare("processor time of a status", "µs", { ...figures(results, "status"), against }, "≤ 1.0"),
  ];
}

/** How many payments are polled in turn. */
const POLLED = 1000;

/** What the server needs for one request, in microseconds. */
async function processorUs({ pid }: Running, load: () => Promise<{ readonly requests: number }>): Promise<number> {
  const beforeMs = cpuMs(pid);
  const { requests } = await load();
  return ((cpuMs(pid) - beforeMs) * 1000) / requests;
}

/** Until there is a release, the fastest commit so far. */
const FASTEST = "508fac47";

/** The tag of the last release. */
async function comparedRevision(): Promise<string> {
  const git = ["git", "describe", "--tags", "--abbrev=0", "--match", "v*"];
  const tag = await run(git, { cwd: ROOT }).catch(() => "");
  return tag.trim() || FASTEST;
}

/**
 * Builds an earlier version, with the packages of its own lock file.
 * @returns its executable
 * @throws Error if this clone does not have the revision, or a package cannot be had
 */
async function buildOf(bench: Bench, revision: string): Promise<string> {
  const folder = join(bench.folder, "before");
  const archive = `${folder}.tar`;
  mkdirSync(folder, { recursive: true });
  bench.progress(`building ${revision}`);
  await run(["git", "archive", "--output", archive, revision], { cwd: ROOT });
  await run(["tar", "-xf", archive, "-C", folder]);
  await run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  await run(["npm", "run", "build", "--silent"], { cwd: folder });
  return join(folder, "dist/momo");
}
