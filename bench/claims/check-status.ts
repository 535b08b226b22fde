import { join } from "node:path";
import { type Claim, limitData, newData, rowsText } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { startedIds, statusChecks, WARM_UP_SECONDS } from "../support/load.ts";
import { startLimit, startMomo } from "../support/servers.ts";
import { alternate } from "../support/statistics.ts";

/** How many payments the clients poll: the same ones again and again, and so many that a cache of the last ones does not help. */
const FEW = 1000;
const MANY = 10_000;

/** Reads the status of pending payments that each server itself has started, with the audit and the log as they are. */
export const checkStatus: Claim = async (bench) => {
  const { programs, rounds, longRounds, seconds, folder } = bench;
  const momo = await startMomo(programs, await newData(bench, "status"), [
    "--outcome",
    "manual",
    "--prompt-timeout",
    "1h",
  ]);
  const limit = await startLimit(programs.limit, limitData(bench, "limit-status", 0));
  const plain = await startLimit(programs.plain, join(folder, "plain-status.db"));
  const servers = { limit, plain, momo };

  const measure = async (count: number, times: number) => {
    const contenders = await Promise.all(
      Object.entries(servers).map(async ([name, server]) => {
        const idsFile = join(folder, `${name}-${count}.txt`);
        await startedIds(server, count, idsFile);
        return [name, async (during = seconds) => (await statusChecks(server, during, idsFile)).perSecond] as const;
      }),
    );
    await Promise.all(contenders.map(([, poll]) => poll(WARM_UP_SECONDS)));
    return alternate(times, Object.fromEntries(contenders) as Record<keyof typeof servers, () => Promise<number>>);
  };
  const few = await measure(FEW, rounds);
  const many = await measure(MANY, longRounds);
  await Promise.all([momo.stop(), limit.stop(), plain.stop()]);
  return [
    compare({ claim: `check a status, 64 connections, ${FEW} payments`, unit: "/s", ...few, goal: "≥ 0.75" }),
    compare({ claim: `the same, each of ${rowsText(MANY)} in turn`, unit: "/s", ...many, goal: "≥ 0.60" }),
  ];
};
