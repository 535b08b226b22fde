import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { run } from "../../cli/run.ts";
import { version } from "../../cli/version.ts";
import { quoted } from "../../sandbox/curl.ts";
import { later } from "./cleanup.ts";
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

/** A shell has these, and momo reads none of them. */
const OF_SHELLS = /^(?:_|PWD|OLDPWD|SHLVL|V2|CONTROL|SILENT|CURL_HOME)$/;

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

/**
 * What makes `momo` a function of bash that runs a command in this process, if it can run here; otherwise with the executable.
 * A shell has no cheaper way: a process takes as long as ten commands here.
 * @param starts whether a command that serves may be one that is not refused
 */
export async function momoForBash(starts = true): Promise<string> {
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("latin1").on("data", (more) => {
      text += more;
      if (!text.endsWith("\0END\0")) return;
      void answer(text, starts).then(
        (answered) => socket.end(answered),
        (error) => socket.end(`printf %s ${quoted(String(error))} >&2; return 1`),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  later(() => server.close());
  return `momo() {
    local answer
    exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}
    { umask; printf '\\0%s' "$PWD" "$#" "$@"; printf '\\0'; export -p; printf '\\0END\\0'; } >&3
    IFS= read -r -d '' -u 3 answer
    exec 3>&-
    eval "$answer"
  }
  `;
}

const EXPORTED = /^declare -x (\w+)=(?:"((?:[^"\\]|\\.)*)"|\$'.*')$/gms;

/** @returns what the shell evaluates */
async function answer(text: string, starts: boolean): Promise<string> {
  const [umask = "", folder = "", count, ...rest] = Buffer.from(text, "latin1").toString().split("\0");
  const words = rest.slice(0, Number(count));
  const environment: Record<string, string> = {};
  for (const [, name = "", value = ""] of rest[words.length]?.matchAll(EXPORTED) ?? []) {
    if (!OF_SHELLS.test(name)) environment[name] = value.replaceAll(/\\(.)/gs, "$1");
  }
  const isUsual = Number.parseInt(umask, 8) === process.umask();
  if (!isUsual || !canRunHere(words, { environment, folder }, starts)) return 'command momo "$@"';
  const { stdout, stderr, exitCode } = await runHere(words, { environment, folder });
  return `printf %s ${quoted(stdout)}; printf %s ${quoted(stderr)} >&2; return ${exitCode}`;
}
