import { join } from "node:path";
import { quoted } from "../sandbox/curl.ts";

/** The rare programs for work on momo: `npm run dev NAME`, with flags `npm run dev -- NAME --flag`. CONTRIBUTING.md says what each does. */

const ROOT = join(import.meta.dir, "..");
const INTERCEPT = "test/integration/intercept";
const DAY_MS = 86_400_000;
const bun = (...args: string[]) => [process.execPath, ...args];

/** For tests with drawn input: more of it, and a new seed. Set a variable to choose; `-- -t WORDS` runs the tests of that name. */
const DRAWN = { MOMO_TEST_TIMES: "20", MOMO_TEST_SEED: String(Date.now() % 1_000_000), ...process.env };
/** For `npm run release:database`. */
const RECORDING = { ...process.env, MOMO_TEST_RECORD: "1" };

/** The commands of each, one after the other; the last one gets the arguments. */
const PROGRAMS: Readonly<Record<string, readonly string[][]>> = {
  crash: [bun("test", `--timeout=${DAY_MS}`, "test/crash")],
  failover: [bun("test", `--timeout=${DAY_MS}`, "test/integration/failover")],
  database: [bun("test", "test/release/databases.test.ts")],
  hostile: [bun("test", `--timeout=${DAY_MS}`, "test/hostile")],
  runtimes: [
    ["npm", "ci", "--prefix", INTERCEPT, "--ignore-scripts", "--no-audit", "--no-fund"],
    bun("test", "--timeout=400000", `./${INTERCEPT}/programs.test.ts`, "./test/integration/npm/runtimes.ts"),
  ],
  screenshots: [bun("scripts/pictures/screenshots.ts"), bun("scripts/pictures/recordings.ts")],
  simulate: [bun("test", `--timeout=${DAY_MS}`, "test/simulation/simulation.test.ts")],
};

const [name = "", ...args] = process.argv.slice(2);
const commands = PROGRAMS[name];
if (commands === undefined) {
  process.stderr.write(`npm run dev: NAME must be one of ${Object.keys(PROGRAMS).join(", ")}; it is "${name}"\n`);
  process.exit(2);
}
process.on("SIGINT", () => {}); // a terminal sends it to the program, too
if (["crash", "hostile", "simulate"].includes(name)) {
  const again = args.length > 0 ? ["--", ...args.map(quoted)] : [];
  const { MOMO_TEST_TIMES: times, MOMO_TEST_SEED: seed } = DRAWN;
  process.stderr.write(
    `again: MOMO_TEST_TIMES=${times} MOMO_TEST_SEED=${seed} npm run dev ${[name, ...again].join(" ")}\n`,
  );
}
for (const [index, command] of commands.entries()) {
  const more = index === commands.length - 1 ? args : [];
  const child = Bun.spawn([...command, ...more], {
    cwd: ROOT,
    env: name === "database" ? RECORDING : DRAWN,
    stdio: ["inherit", "inherit", "inherit"],
  });
  process.once("SIGTERM", () => child.kill());
  const exitCode = await child.exited;
  if (exitCode !== 0) process.exit(exitCode);
}
