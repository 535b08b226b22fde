import { lstatSync, type Stats, statSync } from "node:fs";
import { Failure } from "../terminal/failure.ts";
import { tell } from "../terminal/output.ts";

/**
 * Whose a file or a folder is. What somebody else made is not trusted: it could name a server of theirs, and get our secret sent
 * there. On Windows files have no such owner, and nothing is refused.
 */

/** Whether it belongs to another user. For root that is everybody else, too. */
export function isForeign({ uid }: Pick<Stats, "uid">): boolean {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own;
}

/** @throws Failure that names what belongs to somebody else */
export function refuseForeign(path: string, stats: Pick<Stats, "uid"> | null): void {
  if (!stats || !isForeign(stats)) return;
  throw new Failure("unexpected", belongsToOther(path, stats), TAKE_OVER);
}

export const belongsToOther = (path: string, { uid }: Pick<Stats, "uid">): string =>
  `${path} belongs to another user (uid ${uid}), and is not trusted`;

export const TAKE_OVER =
  "choose another folder with --data, run momo as that user, or make it yours with chown if you know what is in it";

/** Of the place itself, never of what a link leads to. Null where nothing is seen: using it says why. */
export const statsOfPlace = (path: string): Stats | null => statsOr(() => lstatSync(path));

/** Of what a link leads to, too. */
export const statsOfTarget = (path: string): Stats | null => statsOr(() => statSync(path));

function statsOr(read: () => Stats): Stats | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Which others may put files into a folder, and so take the place of ours; null where nobody may. */
export function openTo(path: string): string | null {
  if (process.platform === "win32") return null;
  const stats = statsOfTarget(path);
  const mode = stats?.isDirectory() ? stats.mode : 0;
  if ((mode & 0o002) !== 0) return `everybody may write into ${path}`;
  return (mode & 0o020) !== 0 ? `the group of ${path} may write into it` : null;
}

export const CLOSE_TO_OTHERS = "chmod go-w on it, or choose another folder with --data";

let isWarned = false;

/** Says once who else may write into a folder of ours. */
export function warnOfOthers(path: string): void {
  const others = isWarned ? null : openTo(path);
  if (others === null) return;
  isWarned = true;
  tell(`momo: ${others}; ${CLOSE_TO_OTHERS}`);
}

/** Says that others can read a file which holds a secret. What is no file, such as a pipe, is read once and gone. */
export function warnOfReaders(file: string): void {
  const stats = process.platform === "win32" ? null : statsOfTarget(file);
  if (!stats?.isFile()) return;
  if ((stats.mode & 0o044) !== 0) tell(`momo: others can read the token in ${file}; chmod 600 it`);
  else if (isForeign(stats))
    tell(`momo: the token in ${file} belongs to another user (uid ${stats.uid}), who can read it`);
}
