/**
 * Runs histories drawn from seeds: `npm run dev simulate`.
 *
 *   npm run dev simulate                     fresh seeds for a minute
 *   npm run dev -- simulate --minutes 10     for so long; Ctrl+C stops it sooner
 *   npm run dev simulate 1234                this seed again; `-- simulate 1234 --trace`: line by line
 *   npm run dev -- simulate 1 --seeds 20     this one and those after it
 *
 * Ends with exit code 1 at the first failure, and prints its seed.
 */
import { parseArgs } from "node:util";
import { drawSeed } from "../../src/domain/random.ts";
import { stopwatch, systemRandom } from "../../src/system.ts";
import { type RunReport, SimulationFailure, simulate } from "./run.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
  },
});

/** How often a long run prints its progress. */
const PROGRESS_MS = 5000;

const startedMs = stopwatch();
let seeds = 0;
let operations = 0;
let payments = 0;
let isStopped = false;

function count(report: RunReport): void {
  seeds += 1;
  operations += report.operations;
  payments += report.payments;
}

function tally(): string {
  const seconds = (stopwatch() - startedMs) / 1000;
  const rate = Math.round(operations / seconds);
  return `${seeds} seeds, ${operations} requests and ${payments} payments in ${Math.round(seconds)} s (${rate} requests/s)`;
}

async function runFrom(first: number, many: number): Promise<void> {
  const echo = values.trace ? { echo: (line: string) => console.log(line) } : {};
  for (let seed = first; seed < first + many && !isStopped; seed += 1) {
    const report = await simulate(seed, echo);
    count(report);
    console.log(`seed ${seed}: ${report.operations} requests, ${report.payments} payments, trace ${report.digest}`);
  }
}

async function runFresh(durationMs: number): Promise<void> {
  let saidAtMs = startedMs;
  while (stopwatch() - startedMs < durationMs && !isStopped) {
    count(await simulate(drawSeed(systemRandom)));
    if (stopwatch() - saidAtMs < PROGRESS_MS) continue;
    saidAtMs = stopwatch();
    console.log(tally());
  }
}

function wholeNumber(text: string, what: string): number {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  console.error(`${what} must be a whole number, not ${text}`);
  process.exit(2);
}

// Finish the current seed, so that no file is left; a second Ctrl+C does not wait for it.
process.once("SIGINT", () => {
  isStopped = true;
});

try {
  const [seed] = positionals;
  if (seed === undefined) await runFresh(wholeNumber(values.minutes, "--minutes") * 60_000);
  else await runFrom(wholeNumber(seed, "the seed"), wholeNumber(values.seeds, "--seeds"));
  console.log(`no failure: ${tally()}`);
} catch (error) {
  if (!(error instanceof SimulationFailure)) throw error;
  console.error(error.message);
  console.error(`after ${tally()}`);
  process.exitCode = 1;
}
