import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { acquireLock, isHeld, isOwnFile } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import type { Io } from "../io.ts";
import { Failure, toFailure } from "../terminal/failure.ts";
import { type DataDirectory, filesOf, hasNoDataDirectory, nameDataDirectory } from "./data-directory.ts";
import {
  cannotRead,
  cannotWrite,
  elsewhereThan,
  isForeign,
  statsOfPlace,
  statsOfTarget,
  unlessGone,
  writing,
} from "./files.ts";
import { removeDrafts } from "./leftovers.ts";
import { readRecord, readServer, Stranger } from "./server-record.ts";

/** Whether a data directory is ours, and which process holds it. All its files are judged before one is touched. */

/**
 * The data directory of a command that uses it. It warns if other users may write into it, and creates nothing.
 * @throws Failure if it, or a file with a name of momo's in it, belongs to another user or to another program
 */
export const locateDataDirectory = (io: Io, flag: string | undefined): DataDirectory =>
  requireOwnDirectory(nameDataDirectory(io, flag), io.warn);

/** Null if there is none: a command that names its server needs no home directory. */
export const findDataDirectory = (io: Io, flag: string | undefined): DataDirectory | null =>
  hasNoDataDirectory(io.environment, flag) ? null : locateDataDirectory(io, flag);

/** Called with a line for the user. It tells each once. */
type Warn = (line: string) => void;

function requireOwnDirectory(directory: DataDirectory, warn: Warn): DataDirectory {
  const { path } = directory;
  const stats = statsOfTarget(path);
  if (stats && !stats.isDirectory()) {
    throw new Failure("unexpected", `${path} is not a folder`, "name a folder with --data or MOMO_DATA");
  }
  const [first] = whyNotOurs(directory);
  if (first) throw first;
  // They could replace our files.
  const others = openTo(path);
  if (others !== null) warn(`momo: ${others}; ${CLOSE_TO_OTHERS}`);
  return directory;
}

/** A refusal for each place that is not ours. Files of another user are not read. */
export function whyNotOurs(directory: DataDirectory): Failure[] {
  const ofOthers = ofOtherUsers(directory);
  return ofOthers.length > 0 ? ofOthers : strangersIn(directory);
}

/** A refusal for the folder, and for each of momo's files in it, of another user: that user's server could get our secret. */
function ofOtherUsers(directory: DataDirectory): Failure[] {
  const { path } = directory;
  const files = filesOf(directory).map((file) => [file, statsOfPlace(file)] as const);
  return [[path, statsOfTarget(path)] as const, ...files].flatMap(([place, stats]) => {
    if (!stats || !isForeign(stats)) return [];
    const below = `name a folder in it, which will be yours: MOMO_DATA=${join(path, "momo")}`;
    const message = `${place} belongs to another user (uid ${stats.uid}), and is not trusted`;
    return [new Failure("unexpected", message, place === path && isOpen(path) ? below : TAKE_OVER)];
  });
}

const TAKE_OVER =
  "choose another folder with --data, run momo as that user, or make it yours with chown if you know what is in it";

/** Whether momo may make a folder in it, as in a volume that Kubernetes gives to a group. */
const isOpen = (path: string): boolean =>
  openTo(path) !== null && readOrNull(() => [accessSync(path, constants.W_OK)]) !== null;

/** A refusal for each file that has a name of momo's and is not of momo, by its content. */
function strangersIn(directory: DataDirectory): Failure[] {
  const { lock } = directory;
  // The momo that runs here has judged them. SQLite has changed nothing in the lock of momo: it is empty.
  if (statsOfPlace(lock)?.size === 0 && isHeld(lock)) return [];
  return filesOf(directory).flatMap((file) => {
    try {
      unlessGone(file, () => requireOwnFile(file));
      return [];
    } catch (error) {
      return [toFailure(error)];
    }
  });
}

/** @throws Failure if a file is not of momo, or cannot be read */
function requireOwnFile(file: string): void {
  const stats = statsOfPlace(file);
  if (!stats) return;
  if (!stats.isFile()) throw new Stranger(file, stats);
  const name = basename(file);
  if (name.endsWith(".json")) {
    readRecord(file);
    return;
  }
  try {
    if (name.endsWith(".lock") ? stats.size === 0 : isOwnFile(file)) return;
  } catch (error) {
    throw cannotRead(file, error);
  }
  throw new Stranger(file, stats);
}

/** Which other users may write into a folder, and so replace our files; null if none may. */
export function openTo(path: string): string | null {
  if (process.platform === "win32") return null;
  const stats = statsOfTarget(path);
  const mode = stats?.isDirectory() ? stats.mode : 0;
  if ((mode & 0o002) !== 0) return `everybody may write into ${path}`;
  return (mode & 0o020) !== 0 ? `the group of ${path} may write into it` : null;
}

export const CLOSE_TO_OTHERS = "chmod go-w on it, or choose another folder with --data";

/**
 * Creates the directory if it is missing. An existing one keeps its mode, because it may hold other things, too; momo's files in
 * it are made private.
 * @throws Failure if it is not ours; then nothing was changed
 */
export function makeDataDirectory(directory: DataDirectory, warn: Warn): void {
  const { path } = requireOwnDirectory(directory, warn);
  writing(path, elsewhereThan(path), () => {
    if (existsSync(path)) {
      for (const file of filesOf(directory)) hideFromOthers(file);
    } else {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chmodSync(path, 0o700);
    }
  });
}

/** A copied file can have another mode. */
function hideFromOthers(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() && (stats.mode & 0o077) !== 0) unlessGone(file, () => chmodSync(file, 0o600));
}

/**
 * Locks a data directory for this process, because a second server would resolve the same prompts, and an import would replace the
 * database of a running server. The operating system releases the lock when the process ends, even if it is killed: so this process
 * knows that a record and drafts were left behind, and removes them.
 * @returns a function that releases the lock
 * @throws Failure that names the process that holds it
 */
export function lockDirectory(directory: DataDirectory): () => void {
  let release: () => void;
  try {
    release = acquireLock(directory.lock);
  } catch (error) {
    throw error instanceof UnusableDatabase && error.problem === "locked" ? inUse(directory) : error;
  }
  try {
    // Its server was killed.
    if (readServer(directory)) rmSync(directory.server, { force: true });
    removeDrafts(directory);
    return release;
  } catch (error) {
    release();
    throw error instanceof Failure
      ? error
      : cannotWrite((error as NodeJS.ErrnoException).path ?? directory.path, error);
  }
}

/**
 * Makes a data directory, and locks it.
 * @returns a function that releases the lock
 * @throws Failure if it is not ours, or another process holds it
 */
export function holdDirectory(directory: DataDirectory, warn: Warn): () => void {
  makeDataDirectory(directory, warn);
  return lockDirectory(directory);
}

/**
 * Removes a directory that this process made, if there is no database in it: nothing else is lost, and files of others keep it. The
 * caller holds the lock, so no other process uses it.
 */
export function removeWithoutDatabase(directory: DataDirectory): void {
  if (existsSync(directory.database)) return;
  try {
    removeDrafts(directory);
    rmSync(directory.lock, { force: true });
    rmdirSync(directory.path);
  } catch {
    // The next command uses what is left.
  }
}

/** @throws Failure that names the process that holds the directory. It makes no lock. */
export function requireUnused(directory: DataDirectory): void {
  if (isHeld(directory.lock)) throw inUse(directory);
}

function inUse(directory: DataDirectory): Failure {
  const holder = readOrNull(() => readServer(directory));
  return new Failure(
    "unexpected",
    `${directory.path} is in use by another momo${holder ? ` (process ${holder.pid}, ${holder.base_url})` : ""}`,
    "stop that one, or choose another folder with --data",
  );
}
