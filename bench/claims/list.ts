import { Database } from "bun:sqlite";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { list, pay } from "../support/load.ts";
import { checkoutIdsIn } from "../support/loader.ts";
import { type Claim, databaseIn, dataOf, type RunningMomo, rowsText, startMomo } from "../support/servers.ts";
import { compare, median, timed } from "../support/table.ts";

/** The list at the smallest and the largest size: each combination of filters, its first, middle and last page. */
export const listTransactions: Claim = async (bench) => {
  const [few, many] = [bench.fewRows, bench.manyRows];
  const latencies = async (rows: number): Promise<Map<string, number>> => {
    const momo = await startMomo(bench, await dataOf(bench, rows));
    // Run it twice: the first run prepares the statements.
    for (const mix of mixes(false)) await list(momo, `${mix}&page=1`);
    const measured = await pagesOf(momo, mixes(true), bench.pageRounds);
    await momo.stop();
    return measured;
  };
  const [atFew, atMany] = [await latencies(few), await latencies(many)];
  const slowest = (at: Map<string, number>) => [...at].toSorted((a, b) => b[1] - a[1])[0] ?? ["none", Number.NaN];
  const [mix, ms] = slowest(atMany);
  const [all, goal, against] = [
    `list at ${rowsText(many)}, ${atMany.size} mixes, median`,
    "≤ 2, < 5 ms",
    rowsText(few),
  ];
  return [
    compare(all, "ms", { momo: [...atMany.values()], limit: [...atFew.values()], against }, goal),
    compare(
      `the slowest mix (${mix})`,
      "ms",
      { momo: [ms], limit: [slowest(atFew)[1]], against: `${against}, its slowest` },
      goal,
    ),
  ];
};

/** Of each query its first, middle and last page: the median time of some requests. */
async function pagesOf(momo: RunningMomo, queries: readonly string[], rounds: number): Promise<Map<string, number>> {
  const measured = new Map<string, number>();
  for (const query of queries) {
    const last = Math.max((await list(momo, `${query}&page=1`)).totalPages, 1);
    for (const [name, page] of Object.entries({ first: 1, middle: Math.ceil(last / 2), last })) {
      const took: number[] = [];
      for (let round = 0; round < rounds; round += 1) took.push((await list(momo, `${query}&page=${page}`)).ms);
      measured.set(`${query}, ${name} page`, median(took));
    }
  }
  return measured;
}

const filters = (member: string, values: readonly string[]) => ["", ...values.map((value) => `&${member}=${value}`)];

const DAY_MS = 86_400_000;

/** Query strings: `all` combinations of type, status, dates and limit, or each type with each status once. */
function mixes(all: boolean): string[] {
  const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const dates = [
    "",
    `&date_from=${dayAgo(100)}&date_to=${dayAgo(100)}`,
    `&date_from=${dayAgo(60)}&date_to=${dayAgo(30)}`,
    `&date_to=${dayAgo(180)}`,
  ];
  return filters("type", KINDS).flatMap((type) =>
    filters("status", STATUSES).flatMap((status) =>
      (all ? dates : [""]).flatMap((span) =>
        (all ? [10, 100] : [10]).map((limit) => `limit=${limit}${type}${status}${span}`),
      ),
    ),
  );
}

const SELECTIVE_SEARCHES = 25;
const MOST_MS = 10_000;
const PAYING_MS = 2000;

/** The search at the largest size: for one order, one customer, the prefix of all numbers, and that of nine in ten. */
export const search: Claim = async (bench) => {
  const rows = rowsText(bench.manyRows);
  const data = await dataOf(bench, bench.manyRows);
  const texts = textsIn(databaseIn(data));
  const momo = await startMomo(bench, data);
  const selective: number[] = [];
  await list(momo, "search=none"); // prepares the statement
  const untilMs = performance.now() + MOST_MS;
  for (const text of texts) {
    selective.push((await list(momo, `search=${text}`)).ms);
    if (performance.now() > untilMs) break; // enough to show that it is slow
  }
  const customer = (await list(momo, "search=254000000000")).ms;
  const broadest = (await list(momo, "search=254")).ms;
  const before = await whilePaying(momo, () => Bun.sleep(PAYING_MS));
  const broad = await whilePaying(momo, () => list(momo, "search=2547"));
  await momo.stop();
  const waits = { momo: [broad.longestWaitMs], limit: [before.longestWaitMs], against: "without" };
  return [
    compare(`selective search at ${rows}`, "ms", { momo: selective }, "< 5 ms"),
    compare(`search for a phone at ${rows}`, "ms", { momo: [customer] }, "-"),
    compare(`search that finds all ${rows}`, "ms", { momo: [broadest] }, "-"),
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

/** References and ids of payments from the whole year. */
function textsIn(file: string): string[] {
  const ids = checkoutIdsIn(file, SELECTIVE_SEARCHES);
  const client = new Database(file, { readonly: true });
  const sql = `SELECT reference FROM transactions WHERE reference IS NOT NULL AND id IN (
    SELECT (SELECT max(id) FROM transactions) * value / ${SELECTIVE_SEARCHES} + value FROM json_each(?))`;
  const found = client
    .query<{ reference: string }, [string]>(sql)
    .all(JSON.stringify(Array.from({ length: SELECTIVE_SEARCHES }, (_, share) => share)));
  client.close();
  return found.flatMap(({ reference }, turn) => (turn % 2 === 0 ? reference : (ids[turn] ?? [])));
}
