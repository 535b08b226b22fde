/**
 * Measures the claims about momo's speed: `npm run bench`. In one run on one machine it compares momo with the bare limit
 * (`limit.ts`), with a plain one (`plain-limit.ts`), both compiled with the same flags, and with other servers, and prints ratios.
 *
 *   --quick        about one minute and at most 200,000 rows; the whole run takes about 15 minutes, 5,000,000 rows and 8 GB of disk
 *   --markdown     prints the table for a document
 *   --only NAMES   measures only some claims, by their names in CLAIMS, separated by commas
 *
 * `claims/` has the programs of the claims, `support/` what they share: servers, load (wrk), rows (`loader.ts`), the table.
 * Contenders take turns in each round. The table shows the median of the rounds, and as spread half the difference between the
 * smallest and the largest value. Nothing passes or fails by time. Peers are left out if they are not installed:
 * `npm install --prefix bench/peers --ignore-scripts`.
 *
 * All servers listen on 127.0.0.1. All files are below `dist`, on the disk of the project, and are removed at the end.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkStatus } from "./claims/check-status.ts";
import { fullCycle } from "./claims/full-cycle.ts";
import { listTransactions, oneDay } from "./claims/list.ts";
import { peers } from "./claims/peers.ts";
import { pending, resolve } from "./claims/pending.ts";
import { search } from "./claims/search.ts";
import { soak } from "./claims/soak.ts";
import { idle, startup } from "./claims/start-and-idle.ts";
import { startPayment } from "./claims/start-payment.ts";
import type { Bench, Claim } from "./support/bench.ts";
import { alignedTable, type Line, leftOut, markdownTable } from "./support/line.ts";
import { describeMachine, obstacle } from "./support/machine.ts";
import { buildPrograms, ROOT } from "./support/servers.ts";

/** In the order of the table. */
const CLAIMS: Readonly<Record<string, Claim>> = {
  "start-payment": startPayment,
  "full-cycle": fullCycle,
  "check-status": checkStatus,
  peers,
  startup,
  idle,
  list: listTransactions,
  "one-day": oneDay,
  search,
  resolve,
  pending,
  soak,
};

const QUICK = {
  rounds: 3,
  longRounds: 1,
  seconds: 1,
  sizes: [10_000, 200_000],
  startSize: 200_000,
  days: 1 / 24,
  bytesNeeded: 1e9,
  minutes: 3,
};
const WHOLE = {
  rounds: 5,
  longRounds: 3,
  seconds: 3,
  sizes: [10_000, 100_000, 1_000_000, 5_000_000],
  startSize: 1_000_000,
  days: 1,
  bytesNeeded: 8e9,
  minutes: 15,
};

/** Each run has its own folder, so that two at the same time only slow each other down. */
const folder = join(ROOT, `dist/bench-${process.pid}`);
const say = (text: string): boolean =>
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

function refuse(reason: string): never {
  say(`bench: ${reason}`);
  process.exit(1);
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean" },
        markdown: { type: "boolean" },
        only: { type: "string" },
      },
    }).values;
  } catch (error) {
    refuse((error as Error).message);
  }
}

const flags = readFlags();
const scale = flags.quick ? QUICK : WHOLE;
const chosen = flags.only?.split(",") ?? Object.keys(CLAIMS);
const unknown = chosen.find((name) => CLAIMS[name] === undefined);
if (unknown !== undefined) refuse(`there is no claim ${unknown}; the claims are ${Object.keys(CLAIMS).join(", ")}`);
const reason = obstacle(ROOT, scale.bytesNeeded);
if (reason !== null) refuse(reason);

// support/processes.ts ends the servers.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
setTimeout(() => refuse(`not done after ${scale.minutes} minutes: something hangs`), scale.minutes * 60_000).unref();

const lines: Line[] = [];
try {
  say("compiling momo and the limit");
  const bench: Bench = { ...scale, folder, programs: await buildPrograms(join(folder, "bin")), progress: say };
  for (const name of chosen) {
    say(`measuring ${name}`);
    const measured = await measure(name, bench);
    for (const { claim, momo, limit, ratio } of measured) say(`  ${claim}: ${momo}, ${limit}, ${ratio}`);
    lines.push(...measured);
  }
} catch (error) {
  refuse((error as Error).message);
}

/** If a claim cannot be measured, the table still shows the others. */
async function measure(name: string, bench: Bench): Promise<Line[]> {
  try {
    return (await CLAIMS[name]?.(bench)) ?? [];
  } catch (error) {
    process.exitCode = 1;
    say(`bench: ${name}: ${(error as Error).message}`);
    return [leftOut(name, "failed")];
  }
}

const text = flags.markdown
  ? [...describeMachine().map((line) => `- ${line}`), "", markdownTable(lines)]
  : [...describeMachine(), "", alignedTable(lines)];
process.stdout.write(`${text.join("\n")}\n`);
process.exit();
