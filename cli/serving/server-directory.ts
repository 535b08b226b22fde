import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { momoEnvironment } from "../environment.ts";
import { userPath } from "../terminal/options.ts";
import { type DataDirectory, dataDirectoryAt, hasNoDataDirectory, nameDataDirectory } from "./data-directory.ts";
import { trusted } from "./owners.ts";
import { readServer } from "./records.ts";

/**
 * The data directory of the server that a command means. A server that was started with the same `MOMO_DATA` may use another
 * directory, by `--ephemeral` or `--data`. In a container its probe has the same variable, and knows nothing else about the server.
 * A directory with a database of its own is a sandbox of its own: then it is what the command means.
 */
export function nameServerDirectory(flag: string | undefined): DataDirectory {
  const directory = nameDataDirectory(flag);
  const isNamedByVariable = flag === undefined && momoEnvironment().data !== undefined;
  // Only Linux shows the variables and the files of other processes.
  if (!isNamedByVariable || process.platform !== "linux") return directory;
  if (existsSync(directory.database)) return directory;
  const recorded = readOrNull(() => readServer(directory));
  if (recorded && foldersOf(recorded.pid).includes(directory.path)) return directory;
  const folders = new Set(processes().flatMap((pid) => (isServerFor(directory.path, pid) ? foldersOf(pid) : [])));
  const [only] = folders;
  return folders.size === 1 && only !== undefined ? dataDirectoryAt(only) : directory;
}

/** @throws Failure if it, or a file of momo in it, belongs to another user */
export const locateServerDirectory = (flag: string | undefined) => trusted(nameServerDirectory(flag));

/** Null if there is none: a command that names its server needs no home directory. */
export const findServerDirectory = (flag: string | undefined): DataDirectory | null =>
  hasNoDataDirectory(flag) ? null : locateServerDirectory(flag);

const processes = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** Null if the process has ended, or belongs to another user. */
const readOf = (pid: number, name: string) =>
  readOrNull(() => readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0"));

/** Whether a process is `momo serve` with this directory in `MOMO_DATA`. */
function isServerFor(path: string, pid: number): boolean {
  const command = readOf(pid, "cmdline")?.find((word) => ["serve", "exec", "mcp"].includes(word));
  if (command !== "serve") return false;
  const named = readOf(pid, "environ")
    ?.find((entry) => entry.startsWith(VARIABLE))
    ?.slice(VARIABLE.length);
  const folder = readOrNull(() => readlinkSync(`/proc/${pid}/cwd`));
  return Boolean(named) && folder !== null && resolve(folder, userPath(named ?? "")) === path;
}

const VARIABLE = "MOMO_DATA=";

/** The data directories that a process has locked. */
function foldersOf(pid: number): string[] {
  const files = readOrNull(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  const targets = files.flatMap((file) => readOrNull(() => readlinkSync(`/proc/${pid}/fd/${file}`)) ?? []);
  return targets.filter((target) => basename(target) === "momo.lock").map(dirname);
}
