import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How the programs of a release run others, and say what they found. */

interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** No program that a release runs takes longer. */
const LONGEST_MS = 10 * 60_000;

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws Error with its exit code and its standard error, if it failed
 */
export async function run(command: string[], { cwd, env }: Options = {}): Promise<string> {
  const child = Bun.spawn(command, {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
    timeout: LONGEST_MS,
    ...(cwd !== undefined && { cwd }),
    env: { ...withoutMomo(process.env), ...env },
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${stderr}${stdout}`);
  return stdout;
}

/** Packs an npm package, from a folder or from the registry, into the folder `to`. @returns the path of the tarball */
export async function npmPack(what: string, to: string): Promise<string> {
  const output = await run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", to, what]);
  return join(to, output.trim().split("\n").at(-1) ?? "");
}

/** The environment without the address and the key of another sandbox. */
function withoutMomo(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("MOMO_")));
}

/** Runs work with an empty folder, and removes the folder afterwards. */
export async function inTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `momo-${name}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The words after `momo` that make a payment quickly and print its status. */
export const payment = (outcome: "completed" | "cancelled"): string[] => [
  ...["pay", "0712345678", "100", "--outcome", `${outcome}; after=10ms`],
  ...["--wait", "--interval", "50ms", "--timeout", "100s", "-q"],
];

/** Each returns what it found, or throws an error that says what is wrong. */
export type Checks = Readonly<Record<string, () => unknown>>;

/** Prints a line for each check. If one fails, the program ends with 1. */
export async function report(checks: Checks): Promise<void> {
  for (const [name, check] of Object.entries(checks)) {
    const startedMs = performance.now();
    const seconds = () => `(${((performance.now() - startedMs) / 1000).toFixed(1)} s)`;
    try {
      const found = await check();
      process.stdout.write(`ok    ${name}${typeof found === "string" ? `: ${found}` : ""} ${seconds()}\n`);
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`failed: ${name}: ${(error as Error).message.trim()} ${seconds()}\n`);
    }
  }
}

/** Runs a program to its end; an error is one line on standard error, and the exit code 1. */
export async function orSayWhy(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`momo: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
