import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** The output and the exit code of a program. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** No program that a release runs takes longer. */
const LONGEST_MS = 10 * 60_000;

/** Runs a program to its end, whatever its exit code. */
export async function runToEnd(command: string[], { cwd, env }: Options = {}): Promise<Ended> {
  const child = Bun.spawn(command, {
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
    timeout: LONGEST_MS,
    ...(cwd !== undefined && { cwd }),
    env: { ...withoutMomo(process.env), ...env },
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws Error with its exit code and its standard error, if it failed
 */
export async function run(command: string[], options: Options = {}): Promise<string> {
  const { stdout, stderr, exitCode } = await runToEnd(command, options);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${stderr}${stdout}`);
  return stdout;
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

/**
 * Waits until a condition is true.
 * @param explain makes the message of the error if that takes more than two minutes
 */
export async function until(
  isTrue: () => Promise<boolean>,
  explain: () => string | Promise<string>,
  intervalMs = 50,
): Promise<void> {
  const lateMs = performance.now() + 120_000;
  while (!(await isTrue())) {
    if (performance.now() > lateMs) throw new Error(await explain());
    await Bun.sleep(intervalMs);
  }
}

/** The words after `momo` that make a payment quickly and print its status. */
export const payment = (outcome: "completed" | "cancelled"): string[] => [
  ...["pay", "0712345678", "100", "--outcome", `${outcome}; after=10ms`],
  ...["--wait", "--interval", "50ms", "--timeout", "100s", "-q"],
];

/** The environment without the address and the key of another sandbox. */
export function withoutMomo(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("MOMO_")));
}
