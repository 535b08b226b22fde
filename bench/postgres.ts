/**
 * What a payment costs on PostgreSQL: `node_modules/.bin/bun bench/postgres.ts [--rounds 5] [--seconds 4]`. It needs PostgreSQL 15
 * (`apt-get install postgresql`), starts its own server on the disk, and ends it.
 *
 * Each round measures payments through the service, and then the same statement in the same batches from a program that does nothing
 * else. It shows the medians of the rounds, which are comparable only within one run. Nothing passes or fails by time.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { firstJsonOf } from "../test/support/child.ts";
import { cleanUp, later, newFolder } from "../test/support/cleanup.ts";
import { missing } from "../test/support/needs.ts";
import { openEngine, startServer, urlOf } from "../test/support/postgres.ts";
import { addMerchants } from "../test/support/shop.ts";
import { start } from "./support/servers.ts";
import { alternate, median } from "./support/table.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "4" } },
});
const rounds = Math.min(Math.max(Math.trunc(Number(values.rounds)) || 1, 1), 100);
const seconds = Math.min(Math.max(Number(values.seconds) || 1, 1), 60);

const why = missing("PostgreSQL 15");
if (why !== "") {
  console.error(why);
  process.exit(1);
}
const { port, stop } = await startServer("15", newFolder(), process.pid, { fsync: "on", autovacuum: "on" });
later(() => stop("immediate"));
const url = urlOf(port, "postgres");
const store = await openEngine(url);
await addMerchants(store, 1);
store.close();

async function measure(mode: "momo" | "bare") {
  const load = join(import.meta.dir, "support/postgres-load.ts");
  const child = start([process.execPath, load, mode, url, String(seconds)], "/");
  const { count, p99Ms, cpuUs } = await firstJsonOf(child);
  await child.exited;
  return { perSecond: count / seconds, p99Ms: Number(p99Ms), cpuUs: cpuUs / count };
}

const results = await alternate(rounds, { momo: "momo", bare: "bare" } as const, measure);
await cleanUp();

for (const [mode, ofRounds] of Object.entries(results)) {
  const of = (member: keyof (typeof ofRounds)[number]) => median(ofRounds.map((round) => round[member])).toFixed(1);
  console.log(`${mode}: ${of("perSecond")} payments/s, p99 ${of("p99Ms")} ms, ${of("cpuUs")} µs of processor each`);
}
for (const member of ["perSecond", "p99Ms"] as const) {
  // Of each round by itself, because what else the machine does changes from round to round.
  const ofRounds = results.momo.map((one, round) => one[member] / (results.bare[round]?.[member] ?? Number.NaN));
  console.log(`momo / bare, ${member}: ${median(ofRounds).toFixed(2)}`);
}
process.exit(0);
