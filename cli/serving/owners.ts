import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { type Host, host } from "../host.ts";
import { Failure } from "../terminal/failure.ts";
import { tell } from "../terminal/output.ts";
import { type DataDirectory, filesOf, nameDataDirectory } from "./data-directory.ts";
import { cannotRead, elsewhereThan, readTextFile, statsOfPlace, statsOfTarget, writing } from "./files.ts";

/** Whose momo's files are: it makes them private, refuses those of other users, and warns where others may write or read. */

/**
 * The data directory of a command that uses it, as `nameDataDirectory` finds it. It warns if other users may write into it, and
 * creates nothing.
 * @throws Failure if it, or a file of momo in it, belongs to another user
 */
export const locateDataDirectory = (flag: string | undefined): DataDirectory => trusted(nameDataDirectory(flag));

export function trusted(directory: DataDirectory): DataDirectory {
  refuseForeign(directory);
  warnOfOthers(directory.path);
  return directory;
}

/**
 * Creates the directory if it is missing. An existing one keeps its mode, because it may hold other things, too; momo's files in
 * it are made private.
 */
export function makeDataDirectory(directory: DataDirectory): void {
  const { path } = directory;
  refuseForeign(directory);
  writing(path, elsewhereThan(path), () => {
    if (existsSync(path)) {
      for (const file of filesOf(directory)) hideFromOthers(file);
    } else {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chmodSync(path, 0o700);
    }
  });
}

/** A copied file can have another mode. Anything but a plain file is refused when it is read. */
function hideFromOthers(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function refuseForeign(directory: DataDirectory): void {
  const [first] = foreignPlaces(directory);
  if (first) throw first;
}

/** A refusal for the folder, and for each of momo's files in it, of another user: that user's server could get our secret. */
export function foreignPlaces(directory: DataDirectory): Failure[] {
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

/** Whether a file or a folder belongs to another user. For root, every other user counts, too. Windows has no such owners. */
export function isForeign({ uid }: Pick<Stats, "uid">): boolean {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own;
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

const warned = new WeakSet<Host>();

/** Warns once if other users may write into a folder of ours. */
function warnOfOthers(path: string): void {
  const others = warned.has(host()) ? null : openTo(path);
  if (others === null) return;
  warned.add(host());
  tell(`momo: ${others}; ${CLOSE_TO_OTHERS}`);
}

/** @throws Failure `usage` if the file that the option names cannot be read */
export function readSecretFile(option: string, file: string, secret: "token" | "password"): string {
  try {
    const text = readTextFile(file);
    warnOfReaders(file, secret);
    return text;
  } catch (error) {
    throw cannotRead(`${option} ${file}`, error, "usage");
  }
}

/** Warns if others can read a file with a secret. A pipe is exempt: it can be read only once. */
function warnOfReaders(file: string, secret: string): void {
  const stats = process.platform === "win32" ? null : statsOfTarget(host().resolvePath(file));
  if (!stats?.isFile()) return;
  if ((stats.mode & 0o044) !== 0) tell(`momo: others can read the ${secret} in ${file}; chmod 600 it`);
  else if (isForeign(stats))
    tell(`momo: the ${secret} in ${file} belongs to another user (uid ${stats.uid}), who can read it`);
}
