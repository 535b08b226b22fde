/**
 * Breaks a running momo, and compares its data with the answers that its clients got: `npm run dev crash`. It kills, stops and sets
 * the clock back under load, fills the disk, takes away the right to write, and locks the database.
 *
 *   --rounds N     kills, 1 to 10,000 (default 100); the other scenarios follow with fewer rounds
 *   --seed S       what is drawn: moments, outcomes, what customers answer (default: a new one, printed)
 *   --only NAMES   some scenarios, with commas
 *
 * Proven: every payment that was answered is there, none is doubled or changed, none that was refused is stored, each has its
 * expected end, and a stop takes less than three seconds. It listens on 127.0.0.1 and writes to temporary folders.
 */
import { parseArgs } from "node:util";
import { cleanUp } from "../support/cleanup.ts";
import { type Figures, runScenario, type Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

const MOST_ROUNDS = 10_000;
/** A round takes less than one second. This limit ends a program that hangs. */
const SECONDS_PER_ROUND = 5;

const elapsed = (): number => performance.now() / 1000;
const say = (text: string): boolean => process.stderr.write(`${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);

function refuse(reason: string, exitCode: number): never {
  say(`crash: ${reason}`);
  process.exit(exitCode);
}

function readFlags() {
  try {
    const text = { type: "string" } as const;
    const { values } = parseArgs({ options: { rounds: text, seed: text, only: text } });
    const { rounds = "100", seed = String(Date.now() % 1_000_000), only = Object.keys(SCENARIOS).join(",") } = values;
    const names = only.split(",");
    const unknown = names.find((name) => SCENARIOS[name] === undefined);
    if (!/^[1-9][0-9]{0,4}$/.test(rounds) || Number(rounds) > MOST_ROUNDS) {
      throw new Error(`--rounds must be a whole number from 1 to ${MOST_ROUNDS}`);
    }
    if (!/^[0-9]{1,9}$/.test(seed)) throw new Error("--seed must be a whole number of at most nine digits");
    if (unknown !== undefined) throw new Error(`--only takes ${Object.keys(SCENARIOS).join(", ")}, not ${unknown}`);
    return { kills: Number(rounds), seed: Number(seed), names };
  } catch (error) {
    refuse((error as Error).message, 2);
  }
}

const { kills, seed, names } = readFlags();
const limitS = 60 + kills * SECONDS_PER_ROUND;
setTimeout(() => refuse(`not done after ${limitS} s: something hangs`, 1), limitS * 1000).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const lines: (Figures & { seconds: number })[] = [];
say(`seed ${seed}`);
for (const name of names) {
  const scenario = SCENARIOS[name] as Scenario;
  const startedS = elapsed();
  const why = scenario.impossible?.() ?? "";
  if (why !== "") {
    lines.push({ title: scenario.title, rounds: 0, answered: 0, unanswered: 0, note: `skipped: ${why}`, seconds: 0 });
    continue;
  }
  try {
    const progress = (text: string) => void say(`${name}: ${text}`);
    const figures = await runScenario(scenario, { rounds: scenario.rounds(kills), seed, progress });
    lines.push({ ...figures, seconds: elapsed() - startedS });
  } catch (error) {
    process.exitCode = 1;
    say(`${name} FAILED: ${(error as Error).message}`);
    say(`again: npm run dev -- crash --only ${name} --rounds ${kills} --seed ${seed}`);
  } finally {
    await cleanUp();
  }
}

const HEADINGS = ["scenario", "rounds", "answered", "not", "seconds", ""];
const rows = lines.map(({ title, rounds, answered, unanswered, seconds, note }) =>
  [title, rounds, answered, unanswered, seconds.toFixed(1), note].map(String),
);
for (const [title = "", ...cells] of [HEADINGS, ...rows]) {
  const note = cells.pop() ?? "";
  console.log([title.padEnd(30), ...cells.map((cell) => cell.padStart(9)), note].join("  ").trimEnd());
}
process.exit();
