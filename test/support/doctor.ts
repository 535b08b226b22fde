import { expect } from "bun:test";
import { type RunOptions, runMomo } from "./momo.ts";

interface Finding {
  readonly check: string;
  readonly finding: string;
  readonly remedy: string | null;
}

/** A port that is free for sure: the doctor's own default may be in use on this machine. */
export const FREE_PORT = ["--port", "0"];

/** What `momo doctor` finds: the finding of each check, and the remedy of each that needs action. Exit 1 only if one does. */
export async function examine(args: readonly string[], options: RunOptions = {}) {
  const run = await runMomo(["doctor", "--json", ...FREE_PORT, ...args], options);
  const { findings } = JSON.parse(run.stdout) as { findings: Finding[] };
  const acts = findings.filter(({ remedy }) => remedy !== null);
  expect(run).toMatchObject({ stderr: "", exitCode: acts.length > 0 ? 1 : 0 });
  const found = Object.fromEntries(findings.map(({ check, finding }) => [check, finding]));
  const remedies = Object.fromEntries(acts.map(({ check, remedy }) => [check, remedy]));
  return { found, remedies, needAction: Object.keys(remedies) };
}
