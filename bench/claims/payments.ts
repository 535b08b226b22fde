import { statSync } from "node:fs";
import { join } from "node:path";
import { countAt, payments, startedIds, statusChecks, WARM_UP_SECONDS } from "../support/load.ts";
import { bytesWritten } from "../support/machine.ts";
import {
  type Bench,
  type Claim,
  databaseIn,
  type Running,
  type RunningMomo,
  rowsText,
  STAY_PENDING,
  startAll,
} from "../support/servers.ts";
import { alternate, compare, figures, type Line, timed } from "../support/table.ts";

/** Starting payments from many phones, each on disk before its answer: on an empty database, and on one with many rows. */
export const startPayment: Claim = async (bench) => [
  ...(await starts(bench, 0)),
  ...(await starts(bench, bench.startRows)),
];

async function starts(bench: Bench, rows: number): Promise<Line[]> {
  const { servers, stop } = await startAll(bench, `start-${rows}`, { rows, flags: STAY_PENDING });
  await Promise.all(Object.values(servers).map((server) => payments(server, WARM_UP_SECONDS)));
  const results = await alternate(bench.rounds, servers, async (server: Running) => {
    const before = bytesWritten(server.pid);
    const round = await payments(server, bench.seconds);
    return { ...round, bytes: (bytesWritten(server.pid) - before) / round.requests };
  });
  await stop();

  const each = (figure: keyof (typeof results.momo)[number]) => figures(results, figure);
  const at = rows === 0 ? "empty" : `at ${rowsText(rows)}`;
  const lines = [
    compare(`start a payment, 64 connections, ${at}`, "/s", each("perSecond"), "≥ 1.0"),
    compare("the same, p99", "ms", each("p99Ms"), "≤ 1.5"),
  ];
  return rows === 0 ? lines : [...lines, compare("bytes written for a payment", "", each("bytes"), "≤ 2,500")];
}

const AFTER_MS = 500;

/** Starts and resolves payments until the last one has ended, and measures their size on disk. The bare limit only starts them. */
export const fullCycle: Claim = async (bench) => {
  const { servers, data, stop } = await startAll(bench, "cycle", { flags: ["--after", `${AFTER_MS}ms`] });
  const { limit, momo } = servers;
  await Promise.all([payments(limit, WARM_UP_SECONDS), cycle(momo, WARM_UP_SECONDS)]);
  const during = 2 * bench.seconds;
  const results = await alternate(
    bench.longRounds,
    { limit: async () => (await payments(limit, during)).perSecond, momo: () => cycle(momo, during) },
    (measure) => measure(),
  );
  const rows = await countAt(momo, "");
  await stop();
  const bytes = statSync(databaseIn(data)).size / rows;
  return [
    compare("start and resolve payments", "/s", results, "≥ 0.85"),
    compare("bytes on disk for a payment that has ended", "", { momo: [bytes] }, "≤ 200"),
  ];
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

/** How many payments the clients poll: the same ones again and again, and so many that a cache of the last ones does not help. */
const FEW = 1000;
const MANY = 10_000;

/** Reads the status of pending payments that each server itself has started, with the audit and the log as they are. */
export const checkStatus: Claim = async (bench) => {
  const { servers, stop } = await startAll(bench, "status", { flags: STAY_PENDING });
  const measure = async (count: number, rounds: number) => {
    const fileOf = (name: string) => join(bench.folder, `${name}-${count}.txt`);
    const all = Object.entries(servers);
    await Promise.all(all.map(([name, server]) => startedIds(server, count, fileOf(name))));
    await Promise.all(all.map(([name, server]) => statusChecks(server, WARM_UP_SECONDS, fileOf(name))));
    const poll = (server: Running, name: keyof typeof servers) => statusChecks(server, bench.seconds, fileOf(name));
    return figures(await alternate(rounds, servers, poll), "perSecond");
  };
  const few = await measure(FEW, bench.rounds);
  const many = await measure(MANY, bench.longRounds);
  await stop();
  return [
    compare(`check a status, 64 connections, ${FEW} payments`, "/s", few, "≥ 0.9"),
    compare(`the same, each of ${rowsText(MANY)} in turn`, "/s", many, "≥ 0.9"),
  ];
};
