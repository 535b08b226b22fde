import { AsyncLocalStorage } from "node:async_hooks";
import { resolve } from "node:path";
import { findHostBy, type Host } from "../../cli/host.ts";
import { run } from "../../cli/run.ts";
import { version } from "../../cli/version.ts";
import type { Run } from "./momo.ts";

/** Runs commands in the process of the tests, which takes a tenth of the time of the executable. */

const hosts = new AsyncLocalStorage<Host>();
findHostBy(() => hosts.getStore());

/** They serve, start programs, need a terminal, or go on until they are ended. */
const NOT_HERE: ReadonlySet<string> = new Set(["exec", "mcp", "open", "phone", "serve", "tail", "version"]);

/** Other variables change what the whole process does: its proxy, its certificates, its home. */
const OWN_VARIABLES = /^(?:MOMO_\w+|PATH|HOME|TMPDIR|XDG_DATA_HOME|PGPASSWORD|CI|NO_COLOR|TERM|LANG|LC_\w+)$/;

export interface Surroundings {
  readonly environment: Record<string, string>;
  readonly folder: string;
  readonly usualPort?: number;
}

/** Whether a command can run here; with MOMO_TEST_EXECUTABLE=1 none can. */
export function canRunHere([name, ...words]: readonly string[], { environment }: Surroundings): boolean {
  if (process.env.MOMO_TEST_EXECUTABLE || name === undefined || name.startsWith("-") || NOT_HERE.has(name))
    return false;
  // A copy through standard input or output, and the temporary folder of one into or from a shared database.
  if (["export", "import"].includes(name) && (words.includes("-") || words.includes("--database"))) return false;
  return Object.keys(environment).every((variable) => OWN_VARIABLES.test(variable));
}

export async function runHere(
  words: readonly string[],
  { environment, folder, usualPort = 2547 }: Surroundings,
): Promise<Run> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const steps: (() => void)[] = [];
  const host: Host = {
    words,
    environment: { ...environment },
    usualPort,
    exitCode: undefined,
    placeOf: (path) => resolve(folder, path),
    hideFiles: () => {},
    captured: {
      out: (text) => void stdout.push(text),
      error: (text) => void stderr.push(text),
      atTheEnd: (step) => void steps.push(step),
    },
  };
  await hosts.run(host, async () => {
    await run(words, version);
    for (const step of steps) step();
  });
  return { stdout: stdout.join(""), stderr: stderr.join(""), exitCode: host.exitCode ?? 0 };
}
