import { STATUSES } from "../../src/domain/transaction.ts";
import { list, pay } from "../support/load.ts";
import { type Claim, dataOf, type RunningMomo, rowsText, startMomo } from "../support/servers.ts";
import { compare, median, timed } from "../support/table.ts";

/** The list at the largest size: several filters, each with its first, middle and last page. */
export const listTransactions: Claim = async (bench) => {
  const momo = await startMomo(bench, await dataOf(bench, bench.manyRows));
  const measured: { page: string; ms: number }[] = [];
  for (const mix of mixes()) {
    const last = Math.max((await list(momo, `${mix}&page=1`)).totalPages, 1);
    for (const [name, page] of Object.entries({ first: 1, middle: Math.ceil(last / 2), last })) {
      const took: number[] = [];
      for (let round = 0; round < bench.pageRounds; round += 1) took.push((await list(momo, `${mix}&page=${page}`)).ms);
      measured.push({ page: `${mix}, ${name} page`, ms: median(took) });
    }
  }
  await momo.stop();
  const [slowest] = measured.toSorted((a, b) => b.ms - a.ms);
  const all = `list at ${rowsText(bench.manyRows)}, ${measured.length} pages`;
  return [
    compare(all, "ms", { momo: measured.map(({ ms }) => ms) }, "< 5 ms"),
    compare(`the slowest (${slowest?.page})`, "ms", { momo: [slowest?.ms ?? Number.NaN] }, "-"),
  ];
};

const DAY_MS = 86_400_000;

/** Each limit with each type, status and span of days. */
function mixes(): string[] {
  const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const spans = ["", `&date_from=${dayAgo(60)}&date_to=${dayAgo(30)}`, `&date_to=${dayAgo(180)}`];
  const statuses = ["", ...STATUSES.map((status) => `&status=${status}`)];
  const filters = ["", "&type=web"].flatMap((type) => statuses.map((status) => type + status));
  return [10, 100].flatMap((limit) =>
    filters.flatMap((filter) => spans.map((span) => `limit=${limit}${filter}${span}`)),
  );
}

const SELECTIVE_SEARCHES = 25;
const MOST_MS = 10_000;
const PAYING_MS = 2000;

/** The search at the largest size: for one order, for one customer, and for the prefix of nine in ten numbers. */
export const search: Claim = async (bench) => {
  const rows = rowsText(bench.manyRows);
  const data = await dataOf(bench, bench.manyRows);
  // Of the whole year: `loader.ts` gives such references.
  const orders = Array.from({ length: SELECTIVE_SEARCHES }, (_, part) => {
    const place = Math.floor((bench.manyRows * part) / SELECTIVE_SEARCHES);
    return `Order-${place - (place % 5) + 4}`;
  });
  const momo = await startMomo(bench, data);
  const selective: number[] = [];
  await list(momo, "search=none"); // prepares the statement
  const untilMs = performance.now() + MOST_MS;
  for (const order of orders) {
    selective.push((await list(momo, `search=${order}`)).ms);
    if (performance.now() > untilMs) break; // enough to show that it is slow
  }
  const customer = (await list(momo, "search=254000000000")).ms;
  const before = await whilePaying(momo, () => Bun.sleep(PAYING_MS));
  const broad = await whilePaying(momo, () => list(momo, "search=2547"));
  await momo.stop();
  const waits = { momo: [broad.longestWaitMs], limit: [before.longestWaitMs], against: "without" };
  return [
    compare(`selective search at ${rows}`, "ms", { momo: selective }, "< 5 ms"),
    compare(`search for a phone at ${rows}`, "ms", { momo: [customer] }, "-"),
    compare(`search that finds most of ${rows}`, "ms", { momo: [broad.ms] }, "-"),
    compare("slowest payment during this search", "ms", waits, "≤ 20 ms"),
  ];
};

/** Makes payments one after another while some work runs. The first one starts together with the work. */
async function whilePaying(momo: RunningMomo, work: () => Promise<unknown>) {
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await pay(momo);
  let isDone = false;
  let longestWaitMs = 0;
  const done = timed(() => work().finally(() => (isDone = true)));
  do longestWaitMs = Math.max(longestWaitMs, await timed(() => pay(momo)));
  while (!isDone);
  return { ms: await done, longestWaitMs };
}
