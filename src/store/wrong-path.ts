import { lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readOrNull } from "../domain/read-or-null.ts";
import { type Cause, causeOf } from "./causes.ts";

/** Which part of a path is wrong. */

/** Causes for which the path tells more than the code. */
const OF_PATH: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EEXIST"]);

/** Why a file cannot be written. It names the part of the path that is wrong. Null if the error is not of the file system. */
export function causeAt(file: string, error: unknown, attempt?: () => unknown): Cause | null {
  const cause = causeOf(error, attempt);
  if (!cause || !OF_PATH.has(cause.name)) return cause;
  const { code } = error as NodeJS.ErrnoException;
  const path = resolve(file);
  const [wrong, remedy] = wrongFolder(dirname(path)) ?? wrongItself(path, cause) ?? [];
  return wrong && remedy ? { name: cause.name, reason: `${wrong} (${code})`, remedy } : cause;
}

type Wrong = readonly [what: string, remedy: string] | null;

/** The highest part of a path that is not a folder, and what helps. */
function wrongFolder(path: string): Wrong {
  const above = dirname(path) === path ? null : wrongFolder(dirname(path));
  if (above) return above;
  const stats = readOrNull(() => lstatSync(path));
  if (!stats) return [`${path} does not exist`, "make that folder"];
  if (stats.isDirectory()) return null;
  return stats.isSymbolicLink() ? wrongLink(path) : [`${path} is not a folder`, "move it away"];
}

function wrongItself(path: string, { name }: Cause): Wrong {
  const stats = readOrNull(() => lstatSync(path));
  if (stats?.isSymbolicLink()) return wrongLink(path);
  return stats?.isFile() && name !== "ELOOP" ? [`${path} is not a folder`, "move it away"] : null;
}

function wrongLink(path: string): Wrong {
  try {
    return statSync(path).isDirectory() ? null : [`${path} does not lead to a folder`, "correct that link"];
  } catch (error) {
    const isCircle = (error as NodeJS.ErrnoException).code === "ELOOP";
    const where = isCircle ? "that leads in a circle" : `to ${readlinkSync(path)}, which is not there`;
    return [`${path} is a link ${where}`, "correct that link"];
  }
}
