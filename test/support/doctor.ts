import { expect } from "bun:test";
import { type RunOptions, runMomo } from "./momo.ts";

interface Finding {
  readonly check: string;
  readonly finding: string;
  readonly remedy: string | null;
}

/** A port that nobody here listens on: the doctor's own default may be in use on this machine. */
export const FREE_PORT = ["--port", "0"];

/** What the doctor finds, and whether it says the same to people. Exit 1 only if action is needed. */
export async function findingsOf(args: readonly string[], options: RunOptions = {}): Promise<Finding[]> {
  const port = args.includes("--port") ? [] : FREE_PORT;
  const asJson = await runMomo(["doctor", "--json", ...port, ...args], options);
  const { findings } = JSON.parse(asJson.stdout) as { findings: Finding[] };
  const acts = findings.some(({ remedy }) => remedy !== null);
  expect(asJson).toMatchObject({ exitCode: acts ? 1 : 0 });
  const asText = await runMomo(["doctor", "--format", "table", ...port, ...args], options);
  expect(asText.exitCode).toBe(acts ? 1 : 0);
  for (const { check, finding, remedy } of findings) {
    expect(asText.stdout).toContain(`${remedy === null ? "ok " : "act"}  ${check.padEnd(14)} ${finding}\n`);
    if (remedy !== null) expect(asText.stdout).toContain(`${remedy}\n`);
  }
  return findings;
}

export const needingAction = (findings: Finding[]) =>
  findings.filter(({ remedy }) => remedy !== null).map(({ check }) => check);
export const at = (findings: Finding[], check: string) => findings.find((finding) => finding.check === check)?.finding;
