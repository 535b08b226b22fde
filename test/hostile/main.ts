/**
 * `npm run dev hostile`: sends bad input to a running momo, and starts it with bad values. The tests check each property of
 * `test/hostile` a few dozen times; this program checks it as often as `--runs` says.
 *
 *   --runs N       inputs to each property, 1 to 100,000 (default 2,000); for command lines, which take longer, a tenth
 *   --seed S       what is drawn (default: a new one, printed); the same seed draws the same
 *   --only WORDS   the properties with these words in their names, with commas
 */
import { parseArgs } from "node:util";
import { cleanUp } from "../support/cleanup.ts";
import { serveMomo } from "../support/momo.ts";
import { anyBytes, patience } from "./bytes.ts";
import { anyValues } from "./command-line.ts";
import { type Property, REQUESTS } from "./requests.ts";

const PROPERTIES: Readonly<Record<string, { readonly holds: Property; readonly share: number }>> = {
  ...Object.fromEntries(Object.entries(REQUESTS).map(([name, holds]) => [name, { holds, share: 1 }])),
  "any bytes on a connection": { holds: anyBytes, share: 1 },
  "any value in any flag and variable": { holds: anyValues, share: 0.1 },
  "a client that stalls": { holds: patience, share: 0 },
};

const elapsed = (): number => performance.now() / 1000;
const say = (text: string): boolean => process.stderr.write(`${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);

function readFlags() {
  const text = { type: "string" } as const;
  const {
    runs = "2000",
    seed = String(Date.now() % 1_000_000),
    only = "",
  } = parseArgs({
    options: { runs: text, seed: text, only: text },
  }).values;
  const names = Object.keys(PROPERTIES).filter((name) => only.split(",").some((words) => name.includes(words)));
  const isWrong = !/^[1-9][0-9]{0,5}$/.test(runs) || Number(runs) > 100_000 || !/^[0-9]{1,9}$/.test(seed);
  if (isWrong || names.length === 0) {
    say(`hostile: see the flags in test/hostile/main.ts; the properties are ${Object.keys(PROPERTIES).join("; ")}`);
    process.exit(2);
  }
  return { runs: Number(runs), seed: Number(seed), names };
}

const { runs, seed, names } = readFlags();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

say(`seed ${seed}`);
let inputs = 0;
let seconds = 0;
for (const name of names) {
  const { holds, share } = PROPERTIES[name] as (typeof PROPERTIES)[string];
  const numRuns = Math.max(Math.ceil(runs * share), 1);
  // A new server for each property, so that none finds what another one left.
  const server = await serveMomo(["--quiet", "--prompt-timeout", "1s"]);
  const startedS = elapsed();
  try {
    await holds(server, { numRuns, seed });
    const printed = server.child.stderr.text;
    if (printed !== "") throw new Error(`on stderr: ${printed.slice(0, 1000)}`);
    if ((await server.stop()) !== 0) throw new Error("it did not stop with exit code 0");
    process.stdout.write(
      `${name.padEnd(40)}${String(numRuns).padStart(8)} inputs${(elapsed() - startedS).toFixed(1).padStart(8)} s\n`,
    );
    inputs += numRuns;
    seconds += elapsed() - startedS;
  } catch (error) {
    process.exitCode = 1;
    say(`${name} FAILED: ${(error as Error).message}`);
    say(`again: npm run dev -- hostile --only "${name}" --runs ${runs} --seed ${seed}`);
  } finally {
    await cleanUp();
  }
}
process.stdout.write(`${"all".padEnd(40)}${String(inputs).padStart(8)} inputs${seconds.toFixed(1).padStart(8)} s\n`);
process.exit();
