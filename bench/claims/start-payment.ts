import { join } from "node:path";
import { type Claim, newData } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { payments, type Round } from "../support/load.ts";
import { startLimit, startMomo } from "../support/servers.ts";
import { alternate } from "../support/statistics.ts";

/** Starting payments, each on disk before its answer. */
export const startPayment: Claim = async (bench) => {
  const { programs, rounds, seconds } = bench;
  const limit = await startLimit(programs, join(await newData(bench, "limit-start"), "limit.db"));
  // Nobody answers these prompts meanwhile: it is their start that is compared.
  const momo = await startMomo(programs, await newData(bench, "start"), [
    "--outcome",
    "manual",
    "--prompt-timeout",
    "1h",
  ]);
  const whole = await startMomo(programs, await newData(bench, "start-and-end"));
  await Promise.all([payments(limit, 1), payments(momo, 1)]);
  const results = await alternate(rounds, {
    limit: () => payments(limit, seconds),
    momo: () => payments(momo, seconds),
  });
  // Long enough for most of them to end, too.
  const untilTheEnd = await payments(whole, Math.max(2 * seconds, 5));
  await Promise.all([limit.stop(), momo.stop(), whole.stop()]);

  const rates = (measured: readonly Round[]) => measured.map(({ perSecond }) => perSecond);
  const p99s = (measured: readonly Round[]) => measured.map(({ p99Ms }) => p99Ms);
  return [
    compare({
      claim: "start a payment, 64 connections",
      unit: "/s",
      momo: rates(results.momo),
      limit: rates(results.limit),
      goal: "≥ 0.80",
    }),
    compare({
      claim: "the same, p99",
      unit: "ms",
      momo: p99s(results.momo),
      limit: p99s(results.limit),
      goal: "≤ 1.5",
    }),
    compare({
      claim: "the same, with each resolved after 3 s",
      unit: "/s",
      momo: [untilTheEnd.perSecond],
      limit: rates(results.limit),
      goal: "-",
    }),
  ];
};
