import { AsyncLocalStorage } from "node:async_hooks";
import { resolve } from "node:path";
import { findHostBy, type Host } from "../../cli/host.ts";
import { run } from "../../cli/run.ts";
import { version } from "../../cli/version.ts";
import type { Run } from "./momo.ts";

/** Runs commands in the process of the tests, which takes a tenth of the time of the executable. */

const hosts = new AsyncLocalStorage<Host>();
findHostBy(() => hosts.getStore());

/** They serve, start programs, or are not known to `run`. */
const NEVER_HERE: ReadonlySet<string> = new Set(["exec", "phone", "serve", "version"]);

/** They go on until they are ended, or open a browser; not if there is no server. */
const NOWHERE_ONLY: ReadonlySet<string> = new Set(["mcp", "open", "tail"]);
const NOWHERE = "/nowhere";

/** A port that this process holds, in the place of the usual one, on which a sandbox of the user's may answer. Nothing answers on it. */
const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: (socket) => void socket.end(), data() {} } });
held.unref();

/** Other variables change what the whole process does: its proxy, its certificates, its home. */
const OWN_VARIABLES = /^(?:MOMO_\w+|PATH|HOME|TMPDIR|XDG_DATA_HOME|PGPASSWORD|CI|NO_COLOR|TERM|LANG|LC_\w+)$/;

export interface Surroundings {
  readonly environment: Record<string, string>;
  readonly folder: string;
}

/** Whether a command can run here; with MOMO_TEST_EXECUTABLE=1 none can. */
export function canRunHere([name = "", ...words]: readonly string[], { environment }: Surroundings): boolean {
  if (process.env.MOMO_TEST_EXECUTABLE || name.startsWith("-")) return false;
  if (NEVER_HERE.has(name) || (NOWHERE_ONLY.has(name) && !words.includes(NOWHERE))) return false;
  // A copy through standard input or output, and the temporary folder of one into or from a shared database.
  if (["export", "import"].includes(name) && (words.includes("-") || words.includes("--database"))) return false;
  // Otherwise the data directory is that of the user who runs the tests.
  if (!environment.XDG_DATA_HOME?.startsWith("/") && !environment.MOMO_DATA) return false;
  return Object.keys(environment).every((variable) => OWN_VARIABLES.test(variable));
}

export async function runHere(words: readonly string[], { environment, folder }: Surroundings): Promise<Run> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const steps: (() => void)[] = [];
  const host: Host = {
    words,
    environment: { ...environment },
    usualPort: held.port,
    exitCode: undefined,
    resolvePath: (path) => resolve(folder, path),
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
