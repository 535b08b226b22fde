import { run } from "../../cli/run.ts";
import { version } from "../../cli/version.ts";
import { TestIo } from "./io.ts";
import type { Run } from "./momo.ts";

/** Runs commands in the process of the tests, which takes a tenth of the time of the executable. */

/** They serve, start programs, or are not known to `run`. */
const NEVER_HERE: ReadonlySet<string> = new Set(["exec", "mcp", "phone", "serve", "version"]);

/** They go on until they are ended, or open a browser; not if there is no server. */
const NOWHERE_ONLY: ReadonlySet<string> = new Set(["open", "tail"]);
const NOWHERE = "/nowhere";

/** A port that this process holds, in the place of the usual one, on which a sandbox of the user's may answer. Nothing answers on it. */
const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: (socket) => void socket.end(), data() {} } });
held.unref();

/** Other variables change what the whole process does: its proxy, its certificates, its home. commander reads MOMO_SERVE_ there. */
const OWN_VARIABLES = /^(?:MOMO_(?!SERVE_)\w+|PATH|HOME|TMPDIR|XDG_DATA_HOME|PGPASSWORD|CI|NO_COLOR|TERM|LANG|LC_\w+)$/;

export interface Surroundings {
  readonly environment: Record<string, string>;
  readonly folder: string;
}

/** Whether a command can run here; with MOMO_TEST_EXECUTABLE=1 none can. @param starts whether it may be one that is not refused */
export function canRunHere(
  [name = "", ...words]: readonly string[],
  { environment }: Surroundings,
  starts = true,
): boolean {
  if (process.env.MOMO_TEST_EXECUTABLE || name.startsWith("-")) return false;
  if (starts && NEVER_HERE.has(name)) return false;
  if (starts && NOWHERE_ONLY.has(name) && !words.includes(NOWHERE)) return false;
  // A copy through standard input or output, and the temporary folder of one into or from a shared database.
  if (["export", "import"].includes(name) && (words.includes("-") || words.includes("--database"))) return false;
  // Otherwise the data directory is that of the user who runs the tests.
  if (!environment.XDG_DATA_HOME?.startsWith("/") && !environment.MOMO_DATA) return false;
  return Object.keys(environment).every((variable) => OWN_VARIABLES.test(variable));
}

export async function runHere(words: readonly string[], { environment, folder }: Surroundings): Promise<Run> {
  const io = new TestIo({ words, environment, folder, usualPort: held.port });
  const exitCode = await run(io, version);
  io.end();
  return { stdout: io.printed, stderr: io.told, exitCode };
}
