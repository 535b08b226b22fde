import { join, posix, win32 } from "node:path";
import { quoted } from "../../sandbox/curl.ts";
import { withCompanions } from "../../src/store/sqlite/sqlite.ts";
import type { Environment, PlatformFolders } from "../environment.ts";
import type { Io } from "../io.ts";
import { Failure } from "../terminal/failure.ts";
import { commandLine } from "../terminal/this-program.ts";
import { statsOfTarget } from "./files.ts";

/** The folder where momo keeps everything: which one a command means, and the files in it. */

export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  readonly lock: string;
  readonly credentials: string;
  readonly server: string;
  readonly clock: string;
}

/**
 * `--data`, then `MOMO_DATA`, then the platform's data folder. It reads no file.
 * @throws Failure if only the home directory would say where it is, and there is none
 */
export function nameDataDirectory(io: Io, flag: string | undefined): DataDirectory {
  const path = flag ?? io.environment.momo().data ?? platformDefault(io.environment);
  if (path !== null) return dataDirectoryAt(io.resolvePath(path));
  throw new Failure(
    "usage",
    "HOME is not set, so there is no default data directory",
    "set HOME, or name a folder with --data or MOMO_DATA",
  );
}

/** Whether no flag and no variable names a data directory, and there is no default one. */
export const hasNoDataDirectory = (environment: Environment, flag: string | undefined): boolean =>
  (flag ?? environment.momo().data ?? platformDefault(environment)) === null;

export const dataDirectoryAt = (path: string): DataDirectory => ({
  path,
  database: join(path, "momo.db"),
  lock: join(path, "momo.lock"),
  credentials: join(path, "credentials.json"),
  server: join(path, "server.json"),
  clock: join(path, "clock.json"),
});

const platformDefault = (environment: Environment): string | null =>
  defaultPlace(process.platform, { ...environment.platformFolders(), home: environment.homeFolder() });

type Folders = Partial<PlatformFolders> & { readonly home: string | null };

/** The folder for data of programs on each system. Null if it is in the home directory, and there is none. */
export function defaultPlace(platform: NodeJS.Platform, { xdgDataHome, localAppData, home }: Folders): string | null {
  if (platform === "win32") {
    if (localAppData !== undefined) return win32.join(localAppData, "momo");
    return home && win32.join(home, "AppData", "Local", "momo");
  }
  if (xdgDataHome?.startsWith("/")) return posix.join(xdgDataHome, "momo");
  if (platform === "darwin") return home && posix.join(home, "Library", "Application Support", "momo");
  return home && posix.join(home, ".local", "share", "momo");
}

/** All files with a name of momo's: the records, the lock, the database, and what SQLite keeps beside it. */
export const filesOf = ({ database, lock, credentials, server, clock }: DataDirectory): string[] => [
  lock,
  server,
  credentials,
  clock,
  ...withCompanions(database),
];

/** How a shell in any folder runs momo commands for the server of a data directory: what stands before and after their words. */
export function ownCommand(
  environment: Environment,
  data: string,
): { readonly program: string; readonly flags: string } {
  const { baseUrl, data: variable } = environment.momo();
  // Another terminal may not have the variables of this one.
  const isFoundAnyway = baseUrl === undefined && variable === undefined && data === platformDefault(environment);
  return { program: commandLine(environment), flags: isFoundAnyway ? "" : `--data ${quoted(data)}` };
}

/**
 * For a server whose payments are elsewhere: commands find it by its directory all the same.
 * @returns a function that returns an error while another folder, or none, is at the path
 */
export function watchFolder(path: string): () => Error | null {
  const own = statsOfTarget(path);
  return () => {
    const now = statsOfTarget(path);
    if (own && now?.ino === own.ino && now.dev === own.dev) return null;
    return new Error(
      `the folder ${path} was moved or removed: the payments are in the database, but commands do not find this server any more`,
    );
  };
}
