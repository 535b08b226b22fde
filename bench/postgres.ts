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
import { cpuOf } from "./support/machine.ts";
import { firstLine, start } from "./support/servers.ts";
import { alternate, median } from "./support/table.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "4" } },
});
const rounds = Math.min(Math.max(Math.trunc(Number(values.rounds)) || 1, 1), 100);
const seconds = Math.min(Math.max(Number(values.seconds) || 1, 1), 60);
const CLIENTS = 64;

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

interface Kind {
  readonly mode: "momo" | "bare" | "singles";
  readonly processes: number;
  /** Of all processes together. */
  readonly clients: number;
}

const KINDS = {
  momo: { mode: "momo", processes: 1, clients: CLIENTS },
  bare: { mode: "bare", processes: 1, clients: CLIENTS },
  singles: { mode: "singles", processes: 1, clients: CLIENTS },
  "three times momo": { mode: "momo", processes: 3, clients: 3 * CLIENTS },
  "three for one's load": { mode: "momo", processes: 3, clients: CLIENTS },
} as const satisfies Record<string, Kind>;

interface Figures {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of a payment. */
  readonly clientUs: number;
  readonly engineUs: number;
}

/** Processor time of the server and all its processes, also of ended ones. */
function engineCpuMs(): number {
  const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
  const ofProcesses = pids.map(Number).map((pid) => {
    const { parent, ownMs, childrenMs } = cpuOf(pid);
    if (pid === postmaster) return ownMs + childrenMs;
    return parent === postmaster ? ownMs : 0;
  });
  return ofProcesses.reduce((sum, ms) => sum + ms);
}

async function measure({ mode, processes, clients }: Kind): Promise<Figures> {
  const load = join(import.meta.dir, "support/postgres-load.ts");
  const clientsOfOne = String(Math.ceil(clients / processes));
  const children = Array.from({ length: processes }, (_, index) =>
    start([process.execPath, load, mode, url, `bench-${mode}-${index}`, String(seconds), clientsOfOne], {
      cwd: "/",
      stdin: "pipe",
    }),
  );
  for (const { stdout } of children) await firstLine(stdout);
  const beforeMs = engineCpuMs();
  for (const { stdin } of children) {
    await (stdin as FileSink).write("go\n");
    await (stdin as FileSink).flush();
  }
  const lines = await Promise.all(children.map(({ stdout }) => firstLine(stdout)));
  const engineMs = engineCpuMs() - beforeMs;
  const results = lines.map((line) => JSON.parse(line) as { count: number; p99Ms: number; cpuUs: number });
  for (const { exited } of children) await exited;
  const count = results.reduce((sum, result) => sum + result.count, 0);
  return {
    perSecond: count / seconds,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    clientUs: results.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / count,
    engineUs: (engineMs * 1000) / count,
  };
}

const results = await alternate<keyof typeof KINDS, Kind, Figures>(rounds, KINDS, measure);
await cleanUp();

for (const [kind, ofRounds] of Object.entries(results)) {
  const of = (member: keyof Figures) => median(ofRounds.map((round) => round[member])).toFixed(1);
  const perPayment = `${of("clientUs")} µs here, ${of("engineUs")} µs in the engine per payment`;
  console.log(`${kind.padEnd(24)} ${of("perSecond")}/s  p99 ${of("p99Ms")} ms  ${perPayment}`);
}

type Name = keyof typeof KINDS;
const engine = ({ engineUs }: Figures) => engineUs;
const all = ({ clientUs, engineUs }: Figures) => clientUs + engineUs;
const RATIOS: [what: string, a: Name, b: Name, value: (round: Figures) => number][] = [
  ["payments of momo / bare", "momo", "bare", ({ perSecond }) => perSecond],
  ["p99 of momo / bare", "momo", "bare", ({ p99Ms }) => p99Ms],
  ["engine per payment, momo / single inserts", "momo", "singles", engine],
  ["engine per payment, three replicas with three times the load / one", "three times momo", "momo", engine],
  ["engine per payment, three replicas that share the load of one / one", "three for one's load", "momo", engine],
  ["engine and replicas per payment, three with three times the load / one", "three times momo", "momo", all],
  ["engine and replicas per payment, three that share the load of one / one", "three for one's load", "momo", all],
];
for (const [what, a, b, value] of RATIOS) {
  // Of each round by itself, because what else the machine does changes from round to round.
  const ofRounds = results[a].map((one, round) => value(one) / value(results[b][round] ?? one));
  console.log(`${what}: ${median(ofRounds).toFixed(2)}`);
}
process.exit(0);
