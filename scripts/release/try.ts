import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { CannotRun, type Machine, machineFor } from "./machines.ts";
import { sumOf } from "./sums.ts";
import { TARGETS, type Target } from "./targets.ts";
import { tryMomo } from "./trial.ts";
import type { Tried } from "./tried.ts";

/**
 * Tries the executables in dist/release: `bun scripts/release/try.ts [target …]`, by default all. Those of other systems run
 * where an emulator is installed; it installs nothing. What it finds is kept for the notes of the release. It ends with 1 where an
 * executable runs, and does not do what it should.
 */

const OUT = join(import.meta.dir, "../../dist/release");

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !TARGETS.some((target) => target.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `there is no target ${unknown.join(", ")}; there is ${TARGETS.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}
mkdirSync(join(OUT, "tried"), { recursive: true });
for (const target of TARGETS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const tried = await tryTarget(target);
  writeFileSync(join(OUT, "tried", `${target.name}.json`), `${JSON.stringify(tried, null, 2)}\n`);
  if (tried.result === "failed") process.exitCode = 1;
  process.stdout.write(`${target.name.padEnd(17)} ${tried.result.padEnd(8)} ${tried.detail}\n`);
}

async function tryTarget(target: Target): Promise<Tried> {
  const executable = join(OUT, target.name, target.executable);
  const folder = mkdtempSync(join(tmpdir(), "momo-try-"));
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
    rmSync(folder, { recursive: true, force: true });
  }
}
