/**
 * Measures the claims about momo's speed: `npm run bench`. In one run on one machine it compares momo with the bare limit
 * (`limit.ts`), compiled with the same flags, with the last release, and with other servers, and prints ratios.
 *
 *   --quick        less than 1 minute, one round and 20,000 rows; the whole run takes about 10 minutes, 1,000,000 rows and 2 GB of disk
 *   --only NAMES   measures only some claims, by their names in CLAIMS, separated by commas
 *
 * `claims/` has the programs of the claims, `support/` what they share: servers, load (wrk), rows (`loader.ts`), the table.
 * Contenders take turns in each round. The table shows the median of the rounds. Nothing passes or fails by time.
 * Peers are left out if they are not installed: `npm install --prefix bench/peers --ignore-scripts`.
 *
 * All servers listen on 127.0.0.1. All files are below `dist`, on the disk of the project, and are removed at the end.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listTransactions, search } from "./claims/list.ts";
import { fullCycle, payAndPoll, payAtManyRows } from "./claims/payments.ts";
import { peers, peerVersions } from "./claims/peers.ts";
import { resolve } from "./claims/resolve.ts";
import { memory, startup } from "./claims/startup.ts";
import { steps } from "./claims/steps.ts";
import { describeMachine } from "./support/machine.ts";
import { type Bench, buildPrograms, type Claim, ROOT } from "./support/servers.ts";
import { type Line, leftOut, tableOf } from "./support/table.ts";

/** In the order of the table. */
const CLAIMS: Readonly<Record<string, Claim>> = {
  "pay-and-poll": payAndPoll,
  "pay-at-many-rows": payAtManyRows,
  "full-cycle": fullCycle,
  peers,
  startup,
  memory,
  list: listTransactions,
  search,
  steps,
  resolve,
};

const QUICK = {
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  starts: 4,
  pageRounds: 1,
  manyRows: 20_000,
  prompts: 20_000,
  minutes: 6,
};
const WHOLE = {
  rounds: 4,
  seconds: 3,
  // The first 15,000 payments cost momo a third more: it has more code to compile.
  warmUpSeconds: 4,
  starts: 11,
  pageRounds: 3,
  manyRows: 1_000_000,
  prompts: 100_000,
  minutes: 30,
};

/** Each run has its own folder, so that two at the same time only slow each other down. */
const folder = join(ROOT, `dist/bench-${process.pid}`);
const progress = (text: string): boolean =>
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

function refuse(error: unknown): never {
  progress(`bench: ${(error as Error).message}`);
  process.exit(1);
}

/** If a claim cannot be measured, the table still shows the others. */
async function measure(name: string, bench: Bench): Promise<Line[]> {
  progress(`measuring ${name}`);
  try {
    const lines = (await CLAIMS[name]?.(bench)) ?? [];
    for (const { claim, momo, limit, ratio } of lines) progress(`  ${claim}: ${momo}, ${limit}, ${ratio}`);
    return lines;
  } catch (error) {
    process.exitCode = 1;
    progress(`bench: ${name}: ${(error as Error).message}`);
    return [leftOut(name, "failed")];
  }
}

try {
  const flags = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } }).values;
  const scale = flags.quick ? QUICK : WHOLE;
  const chosen = flags.only?.split(",") ?? Object.keys(CLAIMS);
  const unknown = chosen.find((name) => CLAIMS[name] === undefined);
  if (unknown) throw new Error(`there is no claim ${unknown}; the claims are ${Object.keys(CLAIMS).join(", ")}`);
  if (Bun.which("wrk") === null) throw new Error("wrk is not installed: apt-get install wrk, or brew install wrk");

  // support/servers.ts ends the servers.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const late = new Error(`not done after ${scale.minutes} minutes: something hangs`);
  setTimeout(refuse, scale.minutes * 60_000, late).unref();
  progress("compiling momo and the limit");
  const bench: Bench = { ...scale, folder, programs: await buildPrograms(join(folder, "bin")), progress };
  const lines: Line[] = [];
  for (const name of chosen) lines.push(...(await measure(name, bench)));
  process.stdout.write(`${[...describeMachine(), peerVersions(), "", tableOf(lines)].join("\n")}\n`);
  process.exit();
} catch (error) {
  refuse(error);
}
