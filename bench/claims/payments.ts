import { join } from "node:path";
import { countAt, payments, type Round, startedIds, statusChecks } from "../support/load.ts";
import { bytesWritten, cpuMs } from "../support/machine.ts";
import { type LastRelease, lastRelease } from "../support/release.ts";
import {
  type Bench,
  type Claim,
  newData,
  type Running,
  type RunningMomo,
  rowsText,
  STAY_PENDING,
  startAll,
  startMomo,
} from "../support/servers.ts";
import { alternate, compare, figures, type Line, leftOut, timed } from "../support/table.ts";

/** What one round of load says: its speed, and what the server needed for a request. */
interface Load extends Round {
  readonly bytes: number;
  readonly processorUs: number;
}

async function measured({ pid }: Running, load: () => Promise<Round>): Promise<Load> {
  const bytesBefore = bytesWritten(pid);
  const beforeMs = cpuMs(pid);
  const round = await load();
  return {
    ...round,
    bytes: (bytesWritten(pid) - bytesBefore) / round.requests,
    processorUs: ((cpuMs(pid) - beforeMs) * 1000) / round.requests,
  };
}

/** Each server warms up; then they take turns. */
async function starts<K extends string>(bench: Bench, servers: Readonly<Record<K, Running>>) {
  await Promise.all(Object.values<Running>(servers).map((server) => payments(server, bench.warmUpSeconds)));
  return alternate(bench.rounds, servers, (server: Running) => measured(server, () => payments(server, bench.seconds)));
}

/** How many payments the clients poll, again and again. */
const POLLED = 1000;

/** Reads the status of pending payments that each server itself has started, with the audit and the log as they are. */
async function polls<K extends string>(bench: Bench, servers: Readonly<Record<K, Running>>) {
  const fileOf = (name: string) => join(bench.folder, `${name}-ids.txt`);
  const all = Object.entries<Running>(servers);
  await Promise.all(all.map(([name, server]) => startedIds(server, POLLED, fileOf(name))));
  await Promise.all(all.map(([name, server]) => statusChecks(server, bench.warmUpSeconds, fileOf(name))));
  return alternate(bench.rounds, servers, (server: Running, name) =>
    measured(server, () => statusChecks(server, bench.seconds, fileOf(name))),
  );
}

/**
 * Starting payments from many phones, each on disk before its answer, and reading their status. The last release shows what many
 * small changes cost that no ratio to the limit shows.
 */
export const payAndPoll: Claim = async (bench) => {
  const release = await lastRelease(bench);
  const { servers, stop } = await startAll(bench, "empty", { flags: STAY_PENDING });
  const before = await startRelease(bench, release);
  const contenders: typeof servers = before === null ? servers : Object.assign({ before }, servers);
  const paid = await starts(bench, contenders);
  const polled = await polls(bench, contenders);
  await stop();
  await before?.stop();
  return [
    compare("start a payment, 64 connections, empty", "/s", figures(paid, "perSecond"), "≥ 1.0"),
    compare(`check a status, 64 connections, ${POLLED} payments`, "/s", figures(polled, "perSecond"), "≥ 0.9"),
    besideRelease("processor time of a payment", paid, release),
    besideRelease("processor time of a status", polled, release),
  ];
};

async function startRelease(bench: Bench, { program }: LastRelease): Promise<Running | null> {
  if (program === null) return null;
  const old = { ...bench, programs: { ...bench.programs, momo: program } };
  return startMomo(old, await newData(old, "release"), STAY_PENDING);
}

function besideRelease(claim: string, rounds: Record<string, Load[]>, { revision, why }: LastRelease): Line {
  const { momo = [], before } = figures(rounds, "processorUs");
  if (!before) return leftOut(claim, `left out: ${revision} cannot be built here: ${why}`);
  return compare(claim, "µs", { momo, limit: before, against: revision }, "≤ 1.0");
}

/** The same on a database with many rows. */
export const payAtManyRows: Claim = async (bench) => {
  const { servers, stop } = await startAll(bench, "full", { rows: bench.manyRows, flags: STAY_PENDING });
  const paid = await starts(bench, servers);
  await stop();
  const at = rowsText(bench.manyRows);
  return [
    compare(`start a payment, 64 connections, at ${at}`, "/s", figures(paid, "perSecond"), "≥ 1.0"),
    compare("bytes written for a payment", "", figures(paid, "bytes"), "≤ 2,500"),
  ];
};

const AFTER_MS = 500;

/** Starts and resolves payments until the last one has ended. The bare limit only starts them. */
export const fullCycle: Claim = async (bench) => {
  const { servers, stop } = await startAll(bench, "cycle", { flags: ["--after", `${AFTER_MS}ms`] });
  const { limit, momo } = servers;
  await Promise.all([payments(limit, bench.warmUpSeconds), cycle(momo, bench.warmUpSeconds)]);
  const during = 2 * bench.seconds;
  const results = await alternate(
    bench.rounds,
    { limit: async () => (await payments(limit, during)).perSecond, momo: () => cycle(momo, during) },
    (measure) => measure(),
  );
  await stop();
  return [compare("start and resolve payments", "/s", results, "≥ 0.85")];
};

/** @returns how many payments start and end in a second */
async function cycle(momo: RunningMomo, seconds: number): Promise<number> {
  let started = 0;
  const ms = await timed(async () => {
    started = (await payments(momo, seconds)).requests;
    await Bun.sleep(AFTER_MS);
    while ((await countAt(momo, "&status=pending")) > 0) await Bun.sleep(5);
  });
  return (started / (ms - AFTER_MS)) * 1000;
}
