import { Database } from "bun:sqlite";
import { list } from "../claims/list.ts";
import { type Claim, dataOf, rowsText } from "../support/bench.ts";
import { compare } from "../support/line.ts";
import { checkoutIdsIn } from "../support/loader.ts";
import { databaseIn, pay, type RunningMomo, startMomo } from "../support/servers.ts";
import { timed } from "../support/statistics.ts";

const SELECTIVE_SEARCHES = 25;
const MOST_MS = 10_000;
const PAYING_MS = 2000;

/** The search at the largest size: for one customer or order, for the prefix of all numbers, and for that of nine in ten. */
export const search: Claim = async (bench) => {
  const rows = bench.sizes.at(-1) ?? 0;
  const data = await dataOf(bench, rows);
  const texts = textsIn(databaseIn(data));
  const momo = await startMomo(bench.programs, data);
  const selective: number[] = [];
  await list(momo, "search=254000000000"); // prepares the statement
  const untilMs = performance.now() + MOST_MS;
  for (const text of texts) {
    selective.push((await list(momo, `search=${text}`)).ms);
    if (performance.now() > untilMs) break; // enough to show that it is slow
  }
  const broadest = (await list(momo, "search=254")).ms;
  const before = await whilePaying(momo, () => Bun.sleep(PAYING_MS));
  const broad = await whilePaying(momo, () => list(momo, "search=2547"));
  await momo.stop();
  return [
    compare({ claim: `selective search at ${rowsText(rows)}`, unit: "ms", momo: selective, goal: "< 5 ms" }),
    compare({ claim: `search that finds all ${rowsText(rows)}`, unit: "ms", momo: [broadest], goal: "-" }),
    compare({ claim: `search that finds most of ${rowsText(rows)}`, unit: "ms", momo: [broad.ms], goal: "-" }),
    compare({
      claim: "slowest payment during this search",
      unit: "ms",
      momo: [Math.max(...broad.waits)],
      limit: [Math.max(...before.waits)],
      against: "without",
      goal: "≤ 20 ms",
    }),
  ];
};

/** Makes payments one after another while some work runs. The first one starts together with the work. */
async function whilePaying(momo: RunningMomo, work: () => Promise<unknown>) {
  const waits: number[] = [];
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await pay(momo);
  let isDone = false;
  const done = timed(() => work().finally(() => (isDone = true)));
  do waits.push(await timed(() => pay(momo)));
  while (!isDone);
  return { ms: await done, waits };
}

/** Phone numbers, references and ids of payments from the whole year. */
function textsIn(file: string): string[] {
  const ids = checkoutIdsIn(file, SELECTIVE_SEARCHES);
  const client = new Database(file, { readonly: true });
  const sql = `SELECT phone, reference FROM transactions WHERE reference IS NOT NULL AND id IN (
    SELECT (SELECT max(id) FROM transactions) * value / ${SELECTIVE_SEARCHES} + value FROM json_each(?))`;
  const found = client
    .query<{ phone: number; reference: string }, [string]>(sql)
    .all(JSON.stringify(Array.from({ length: SELECTIVE_SEARCHES }, (_, share) => share)));
  client.close();
  return found.flatMap(({ phone, reference }, turn) => [String(phone), reference, ids[turn]][turn % 3] ?? []);
}
