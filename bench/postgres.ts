/**
 * What a payment costs on PostgreSQL: `node_modules/.bin/bun bench/postgres.ts [--rounds 5] [--seconds 4]`. It needs PostgreSQL 15
 * (`apt-get install postgresql`), starts its own server on the disk, and ends it.
 *
 * Each round measures in turn: payments through the service; the same statement in the same batches from a program that does nothing
 * else; one statement for each payment; and the service in three processes, with three times the clients, and with the same number.
 * It shows the medians of the rounds, which are comparable only within one run. Nothing passes or fails by time.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { FileSink } from "bun";
import { cleanUp, later, newFolder } from "../test/support/cleanup.ts";
import { missing } from "../test/support/needs.ts";
import { openEngine, startServer, urlOf } from "../test/support/postgres.ts";
import { addMerchants } from "../test/support/shop.ts";
import { firstLine, start } from "./support/processes.ts";
import { median } from "./support/statistics.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "4" } },
});
const rounds = Math.min(Math.max(Math.trunc(Number(values.rounds)) || 1, 1), 100);
const seconds = Math.min(Math.max(Number(values.seconds) || 1, 1), 60);
const CLIENTS = 64;

interface Kind {
  readonly mode: "momo" | "bare" | "singles";
  readonly processes: number;
  /** Of all processes together. */
  readonly clients: number;
}

interface Figures {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly clientUs: number;
  readonly engineUs: number;
}

/** Processor time of the server and all its processes, also of ended ones, in µs. */
function engineCpuUs(postmaster: number): number {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")
        .map(Number);
      const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]];
      if (Number(pid) === postmaster) ticks += user + system + (fields[13] ?? 0) + (fields[14] ?? 0);
      else if (parent === postmaster) ticks += user + system;
    } catch {
      // The process has ended.
    }
  }
  return ticks * 10_000;
}

async function measure({ mode, processes, clients }: Kind, postmaster: number): Promise<Figures> {
  const load = join(import.meta.dir, "support/postgres-load.ts");
  const clientsOfOne = String(Math.ceil(clients / processes));
  const children = Array.from({ length: processes }, (_, index) =>
    start([process.execPath, load, mode, url, `bench-${mode}-${index}`, String(seconds), clientsOfOne], {
      cwd: "/",
      stdin: "pipe",
    }),
  );
  for (const { stdout } of children) await firstLine(stdout);
  const before = engineCpuUs(postmaster);
  for (const { stdin } of children) {
    await (stdin as FileSink).write("go\n");
    await (stdin as FileSink).flush();
  }
  const lines = await Promise.all(children.map(({ stdout }) => firstLine(stdout)));
  const engineUs = engineCpuUs(postmaster) - before;
  const results = lines.map((line) => JSON.parse(line) as { count: number; p99Ms: number; cpuUs: number });
  for (const { exited } of children) await exited;
  const count = results.reduce((sum, result) => sum + result.count, 0);
  return {
    perSecond: count / seconds,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    clientUs: results.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / count,
    engineUs: engineUs / count,
  };
}

const why = missing("PostgreSQL 15");
if (why !== "") {
  console.error(why);
  process.exit(1);
}
const { port, data, stop } = await startServer("15", newFolder(), process.pid, { fsync: "on", autovacuum: "on" });
later(() => stop("immediate"));
const url = urlOf(port, "postgres");
const store = await openEngine(url);
await addMerchants(store, 1);
store.close();
const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);

const KINDS = {
  momo: { mode: "momo", processes: 1, clients: CLIENTS },
  bare: { mode: "bare", processes: 1, clients: CLIENTS },
  singles: { mode: "singles", processes: 1, clients: CLIENTS },
  "three times momo": { mode: "momo", processes: 3, clients: 3 * CLIENTS },
  "three for one's load": { mode: "momo", processes: 3, clients: CLIENTS },
} as const satisfies Record<string, Kind>;
const figures = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, [] as Figures[]]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, kind] of Object.entries(KINDS)) figures[name]?.push(await measure(kind, postmaster));
}
await cleanUp();

const of = (kind: keyof typeof KINDS, member: keyof Figures) => median((figures[kind] ?? []).map((one) => one[member]));
for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
  const shown = (["perSecond", "p99Ms", "clientUs", "engineUs"] as const).map((member) => of(kind, member).toFixed(1));
  console.log(
    `${kind.padEnd(24)} ${shown[0]}/s  p99 ${shown[1]} ms  ${shown[2]} µs here, ${shown[3]} µs in the engine per payment`,
  );
}
/** Of each round by itself, because what else the machine does changes from round to round. */
const ratio = (a: keyof typeof KINDS, b: keyof typeof KINDS, value: (one: Figures) => number) =>
  median((figures[a] ?? []).map((one, round) => value(one) / value(figures[b]?.[round] ?? one))).toFixed(2);
console.log(`payments of momo / bare: ${ratio("momo", "bare", (one) => one.perSecond)}`);
console.log(`p99 of momo / bare: ${ratio("momo", "bare", (one) => one.p99Ms)}`);
console.log(`engine per payment, momo / single inserts: ${ratio("momo", "singles", (one) => one.engineUs)}`);
for (const [what, value] of [
  ["engine", ({ engineUs }: Figures) => engineUs],
  ["engine and replicas", ({ clientUs, engineUs }: Figures) => clientUs + engineUs],
] as const) {
  console.log(
    `${what} per payment, three replicas with three times the load / one: ${ratio("three times momo", "momo", value)}`,
  );
  console.log(
    `${what} per payment, three replicas that share the load of one / one: ${ratio("three for one's load", "momo", value)}`,
  );
}
process.exit(0);
