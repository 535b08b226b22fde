import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { CannotRun, type Machine, machineFor } from "./machines.ts";
import { inTemporaryFolder } from "./run.ts";
import { sumOf } from "./sums.ts";
import { chosenTargets, type Target } from "./targets.ts";
import { tryMomo } from "./trial.ts";
import type { Tried } from "./tried.ts";

/**
 * Tries the executables in dist/release: `bun scripts/release/try.ts [target …]`, by default all. Those of other systems run if an
 * emulator is installed. The results are kept for the notes of the release. It ends with 1 if an executable runs, but does not work.
 */

const OUT = join(import.meta.dir, "../../dist/release");

mkdirSync(join(OUT, "tried"), { recursive: true });
for (const target of chosenTargets(process.argv.slice(2))) {
  const tried = await inTemporaryFolder("try", (empty) => tryTarget(target, empty));
  writeFileSync(join(OUT, "tried", `${target.name}.json`), `${JSON.stringify(tried, null, 2)}\n`);
  if (tried.result === "failed") process.exitCode = 1;
  process.stdout.write(`${target.name.padEnd(17)} ${tried.result.padEnd(8)} ${tried.detail}\n`);
}

async function tryTarget(target: Target, folder: string): Promise<Tried> {
  const executable = join(OUT, target.name, target.executable);
  const sum = await sumOf(executable);
  let machine: Machine | undefined;
  try {
    machine = await machineFor(target, folder);
    const steps = await tryMomo([...machine.prefix, executable], manifest.version, {
      folder: join(folder, "project"),
      env: machine.env,
      stop: machine.stop,
    });
    const times = steps.map(({ name, ms }) => `${name} ${ms} ms`).join(", ");
    return { sum, result: "ran", detail: `${machine.name}: ${times}` };
  } catch (error) {
    if (error instanceof CannotRun) return { sum, result: "not run", detail: error.message };
    return { sum, result: "failed", detail: `${machine?.name ?? "the emulator"}: ${(error as Error).message}` };
  } finally {
    await machine?.close();
  }
}
