import { chmodSync, existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { quoted } from "../../sandbox/curl.ts";
import { momoEnvironment, platformFolders } from "../environment.ts";
import { host } from "../host.ts";
import { commandLine } from "../terminal/this-program.ts";
import { cannotWrite, refuseForeign, statsOfPlace, statsOfTarget, warnOfOthers } from "./files.ts";

/** Where momo keeps everything, in files that only their owner can read. */
export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  readonly lock: string;
  readonly credentials: string;
  readonly server: string;
  readonly clock: string;
}

/** `--data`, then `MOMO_DATA`, then the platform's data folder. It reads no file. */
export function nameDataDirectory(flag: string | undefined): DataDirectory {
  return dataDirectoryAt(host().placeOf(flag ?? momoEnvironment().data ?? platformDefault()));
}

/**
 * The same for a command that uses the directory: warns if other users may write into it. Nothing is created.
 * @throws Failure if it, or a file of momo in it, belongs to another user
 */
export function locateDataDirectory(flag: string | undefined): DataDirectory {
  const directory = nameDataDirectory(flag);
  refuseForeignDirectory(directory);
  warnOfOthers(directory.path);
  return directory;
}

function refuseForeignDirectory(directory: DataDirectory): void {
  refuseForeign(directory.path, statsOfTarget(directory.path));
  for (const file of filesOf(directory)) refuseForeign(file, statsOfPlace(file));
}

export function dataDirectoryAt(path: string): DataDirectory {
  return {
    path,
    database: join(path, "momo.db"),
    lock: join(path, "momo.lock"),
    credentials: join(path, "credentials.json"),
    server: join(path, "server.json"),
    clock: join(path, "clock.json"),
  };
}

function platformDefault(): string {
  const { xdgDataHome, localAppData } = platformFolders();
  if (xdgDataHome?.startsWith("/")) return join(xdgDataHome, "momo");
  if (process.platform === "win32") return join(localAppData ?? join(homedir(), "AppData", "Local"), "momo");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "momo");
  return join(homedir(), ".local", "share", "momo");
}

/**
 * Creates the directory if it is missing. An existing one keeps its mode, because it may hold other things, too; momo's files in
 * it are made private.
 */
export function makeDataDirectory(directory: DataDirectory): void {
  const { path } = directory;
  refuseForeignDirectory(directory);
  try {
    if (existsSync(path)) {
      for (const file of filesOf(directory)) hideFromOthers(file);
    } else {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chmodSync(path, 0o700);
    }
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

export const filesOf = ({ database, lock, credentials, server, clock }: DataDirectory) => [
  ...[database, `${database}-wal`, `${database}-shm`],
  ...[lock, credentials, server, clock],
];

/** A copied file can have another mode. Anything but a plain file is refused when it is read. */
function hideFromOthers(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

/** How a shell in any folder runs momo commands for the server of a data directory: what stands before and after their words. */
export function ownCommand(data: string): { readonly program: string; readonly flags: string } {
  const { baseUrl, data: variable } = momoEnvironment();
  // Another terminal may not have the variables of this one.
  const isFoundAnyway = data === nameDataDirectory(undefined).path && baseUrl === undefined && variable === undefined;
  return { program: commandLine(), flags: isFoundAnyway ? "" : `--data ${quoted(data)}` };
}
