import { join } from "node:path";
import { type Bench, type Claim, limitData, newData, rowsText } from "../support/bench.ts";
import { compare, type Line, leftOut } from "../support/line.ts";
import { payments, type Round, WARM_UP_SECONDS } from "../support/load.ts";
import { loadHistory } from "../support/loader.ts";
import { bytesWritten, knowsProcesses } from "../support/machine.ts";
import { databaseIn, type Running, startLimit, startMomo } from "../support/servers.ts";
import { alternate } from "../support/statistics.ts";

/** Starting payments from many phones, each on disk before its answer: on an empty database, and on one with many rows. */
export const startPayment: Claim = async (bench) => [
  ...(await starts(bench, 0)),
  ...(await starts(bench, bench.startSize)),
];

async function starts(bench: Bench, rows: number): Promise<Line[]> {
  const { programs, rounds, seconds } = bench;
  const data = await newData(bench, `start-${rows}`);
  if (rows > 0) {
    bench.progress(`loading ${rowsText(rows)}`);
    loadHistory(databaseIn(data), rows, Date.now());
  }
  const limit = await startLimit(programs.limit, limitData(bench, `limit-start-${rows}`, rows));
  const plain = await startLimit(programs.plain, join(bench.folder, `plain-start-${rows}.db`));
  // These prompts stay pending: only the start of a payment is compared.
  const momo = await startMomo(programs, data, ["--outcome", "manual", "--prompt-timeout", "1h"]);
  await Promise.all([limit, plain, momo].map((server) => payments(server, WARM_UP_SECONDS)));
  const results = await alternate(rounds, {
    limit: () => withBytes(limit, seconds),
    plain: () => withBytes(plain, seconds),
    momo: () => withBytes(momo, seconds),
  });
  await Promise.all([limit, plain, momo].map((server) => server.stop()));

  const both = (figure: (round: Measured) => number) => ({
    momo: results.momo.map(figure),
    limit: results.limit.map(figure),
    // The plain limit is only measured with an empty table.
    ...(rows === 0 && { plain: results.plain.map(figure) }),
  });
  const at = rows === 0 ? "empty" : `at ${rowsText(rows)}`;
  const lines = [
    compare({
      claim: `start a payment, 64 connections, ${at}`,
      unit: "/s",
      ...both((one) => one.perSecond),
      goal: "≥ 1.05",
    }),
    compare({ claim: "the same, p99", unit: "ms", ...both((one) => one.p99Ms), goal: "≤ 1.5" }),
  ];
  if (rows === 0) return lines;
  return [
    ...lines,
    knowsProcesses()
      ? compare({ claim: "bytes written for a payment", unit: "", ...both((one) => one.bytes), goal: "≤ 2,500" })
      : leftOut("bytes written for a payment", "needs /proc"),
  ];
}

type Measured = Round & { readonly bytes: number };

/** @returns the round, and the bytes that each payment wrote to disk */
async function withBytes(server: Running & { readonly accountId?: number }, seconds: number): Promise<Measured> {
  const before = knowsProcesses() ? bytesWritten(server.pid) : 0;
  const round = await payments(server, seconds);
  return { ...round, bytes: knowsProcesses() ? (bytesWritten(server.pid) - before) / round.requests : Number.NaN };
}
