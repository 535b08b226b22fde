import { existsSync } from "node:fs";
import { join } from "node:path";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { type Bench, type Claim, dataOf, newData, rowsText } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { loadHistory } from "../support/loader.ts";
import { databaseIn, type RunningMomo, startMomo } from "../support/servers.ts";
import { median } from "../support/statistics.ts";

/** The list at the smallest and the largest size: each combination of filters, its first, middle and last page. */
export const listTransactions: Claim = async (bench) => {
  const [few, many] = [bench.sizes[0] ?? 0, bench.sizes.at(-1) ?? 0];
  const atFew = await latencies(bench, few);
  const atMany = await latencies(bench, many);
  const against = rowsText(few);
  const worst = (at: Map<string, number>) => [...at].toSorted((a, b) => b[1] - a[1])[0] ?? ["none", Number.NaN];
  const [worstMix, worstMs] = worst(atMany);
  return [
    compare({
      claim: `list at ${rowsText(many)}, ${atMany.size} mixes, median`,
      unit: "ms",
      momo: [...atMany.values()],
      limit: [...atFew.values()],
      against,
      goal: "≤ 2, < 5 ms",
    }),
    compare({
      claim: `the slowest mix (${worstMix})`,
      unit: "ms",
      momo: [worstMs],
      limit: [worst(atFew)[1]],
      against: `${against}, its slowest`,
      goal: "≤ 2, < 5 ms",
    }),
  ];
};

async function latencies(bench: Bench, rows: number): Promise<Map<string, number>> {
  const momo = await startMomo(bench.programs, await dataOf(bench, rows));
  const measured = new Map<string, number>();
  try {
    // Run it twice: the first run prepares the statements.
    for (const keep of [false, true]) {
      for (const mix of mixes(keep)) {
        const last = Math.max((await list(momo, `${mix}&page=1`)).totalPages, 1);
        if (!keep) continue;
        const pages = { first: 1, middle: Math.ceil(last / 2), last };
        for (const [name, page] of Object.entries(pages)) {
          measured.set(`${mix}, ${name} page`, await medianOf(3, momo, `${mix}&page=${page}`));
        }
      }
    }
  } finally {
    await momo.stop();
  }
  return measured;
}

async function medianOf(count: number, momo: RunningMomo, query: string): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < count; time += 1) times.push((await list(momo, query)).ms);
  return median(times);
}

const FEW = 23_000;
const HOUR_MS = 3_600_000;

/** Pages of ten payments when all are of one day: the first, middle and last page, for all statuses and for each. */
export const oneDay: Claim = async (bench) => {
  const many = bench.sizes.at(-1) ?? 0;
  const [atFew, atMany] = [await latenciesOfDay(bench, FEW), await latenciesOfDay(bench, many)];
  const worst = (times: readonly number[]) => Math.max(...times);
  const against = rowsText(FEW);
  const claim = `a page of ten, ${rowsText(many)} of one day`;
  return [
    compare({ claim, unit: "ms", momo: atMany, limit: atFew, against, goal: "≤ 2, < 2 ms" }),
    compare({
      claim: "the slowest of them",
      unit: "ms",
      momo: [worst(atMany)],
      limit: [worst(atFew)],
      against,
      goal: "≤ 2, < 2 ms",
    }),
  ];
};

async function latenciesOfDay(bench: Bench, rows: number): Promise<number[]> {
  const data = join(bench.folder, `day-${rows}`);
  if (!existsSync(databaseIn(data))) {
    bench.progress(`loading ${rowsText(rows)} of one day`);
    await newData(bench, `day-${rows}`);
    // Yesterday at noon in Nairobi, far from midnight.
    const noonMs = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 15 * HOUR_MS;
    loadHistory(databaseIn(data), rows, noonMs + 8 * HOUR_MS, 16 * HOUR_MS);
  }
  const momo = await startMomo(bench.programs, data);
  const measured: number[] = [];
  for (const filter of ["", ...STATUSES.map((status) => `&status=${status}`)]) {
    const last = Math.max((await list(momo, `limit=10${filter}&page=1`)).totalPages, 1);
    for (const page of [1, Math.ceil(last / 2), last]) {
      measured.push(await medianOf(7, momo, `limit=10${filter}&page=${page}`));
    }
  }
  await momo.stop();
  return measured;
}

const DAY_MS = 86_400_000;

/** Query strings: `all` combinations of type, status, dates and limit, or each type with each status once. */
function mixes(all: boolean): string[] {
  const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const types = ["", ...KINDS.map((kind) => `&type=${kind}`)];
  const statuses = ["", ...STATUSES.map((status) => `&status=${status}`)];
  const dates = [
    "",
    `&date_from=${dayAgo(100)}&date_to=${dayAgo(100)}`,
    `&date_from=${dayAgo(60)}&date_to=${dayAgo(30)}`,
    `&date_to=${dayAgo(180)}`,
  ];
  const limits = [10, 100];
  return types.flatMap((type) =>
    statuses.flatMap((status) =>
      (all ? dates : [""]).flatMap((span) =>
        (all ? limits : [10]).map((limit) => `limit=${limit}${type}${status}${span}`),
      ),
    ),
  );
}

/** One page of the list, and how long it took. */
export async function list(momo: RunningMomo, query: string): Promise<{ ms: number; totalPages: number }> {
  const startedMs = performance.now();
  const response = await fetch(`${momo.url}/transactions.php?${query}`, { headers: momo.headers });
  const answer = (await response.json()) as { message: string; pagination: { total_pages: number } };
  const ms = performance.now() - startedMs;
  if (!response.ok) throw new Error(`${query}: ${answer.message}`);
  return { ms, totalPages: answer.pagination.total_pages };
}
