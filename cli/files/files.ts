import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { shown } from "../../src/domain/error.ts";
import { around, findJsonMistake, lineAndColumn, looksLikeUtf16 } from "../../src/domain/json-mistake.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { causeOf, helpFor } from "../../src/store/causes.ts";
import { draftBeside } from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { causeAt } from "../../src/store/wrong-path.ts";
import type { Io } from "../io.ts";
import { Failure, type FailureCode } from "../terminal/failure.ts";

/** Reads and writes whole files, up to a bound. */

/** Writes a private file completely, or not at all. */
export const writePrivateFile = (file: string, content: string): void =>
  writing(file, elsewhereThan(file), () => writeWhole(file, content));

/**
 * Writes a file beside its place, and renames it: it is complete, or as it was. A new file is private.
 * @param before the file that it replaces: its mode and its owner stay
 */
export function writeWhole(file: string, content: string, before?: Stats): void {
  const draft = draftBeside(file);
  const descriptor = openSync(draft, "wx", 0o600); // exclusive, so that it never follows a link of another user
  try {
    writeFileSync(descriptor, content);
    if (before) {
      readOrNull(() => fchownSync(descriptor, before.uid, before.gid)); // only root can
      fchmodSync(descriptor, before.mode & 0o777);
    }
    closeSync(descriptor);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** @throws Failure if a step that makes or writes a file or a folder fails: it names `what`, and says what helps */
export function writing<T>(file: string, elsewhere: string, step: () => T, what = file): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof Failure ? error : cannotWrite(file, error, elsewhere, what);
  }
}

/** The beginning of the name of a data directory for one run. */
export const TEMPORARY_PREFIX = "momo-temporary-";

export const elsewhereThan = (file: string): string =>
  file.includes(TEMPORARY_PREFIX) ? "name another place in the variable TMPDIR" : "choose another folder with --data";

/** Why a file or a folder cannot be created or written, and what helps: against the cause, or `elsewhere`. */
export function cannotWrite(file: string, error: unknown, elsewhere = elsewhereThan(file), what = file): Failure {
  if (error instanceof UnusableDatabase) return new Failure("unexpected", error.message, helpFor(error, elsewhere));
  const cause = causeAt(file, error);
  const { code } = error as NodeJS.ErrnoException;
  const why = cause?.reason ?? code ?? String(error);
  return new Failure("unexpected", `${what} cannot be written: ${why}`, helpFor(cause, elsewhere));
}

/** Why a file cannot be read, and what helps. */
export function cannotRead(file: string, error: unknown, failure: FailureCode = "unexpected"): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  const cause = causeOf(error);
  return new Failure(failure, `${file} cannot be read: ${cause?.reason ?? code ?? message}`, cause?.remedy);
}

/** Much more than any file for momo needs. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * The JSON in a file; undefined if there is no such file. The caller checks its content.
 * @throws an error of the system, of the decoder or of the parser
 */
export function readJsonFile(file: string): unknown {
  return existsSync(file) ? parseJson(readTextFile(file)) : undefined;
}

/** @throws SyntaxError that names the place in the text of a file */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mistake = findJsonMistake(text);
    throw mistake
      ? new SyntaxError(`${lineAndColumn(text, mistake.at)}, ${shown(around(text, mistake))}: ${mistake.what}`)
      : error;
  }
}

/**
 * The JSON in a file that an option names, as the function reads it.
 * @throws Failure `usage` that names the flag, the file and the place in it
 */
export function parseFile<T>(
  io: Io,
  file: string,
  parse: (content: unknown, text: string) => T,
  { flag, hint }: Record<"flag" | "hint", string>,
): T {
  try {
    const text = readTextFile(io.resolvePath(file));
    return parse(parseJson(text), text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw cannotRead(`${flag} ${file}`, error, "usage");
    const why = error instanceof SyntaxError ? `it is not JSON, ${message}; ${hint}` : message;
    throw new Failure("usage", `${flag} ${file}: ${why}`);
  }
}

const UTF_16 = "it is UTF-16: save it as UTF-8, in PowerShell with | Out-File -Encoding utf8";

/**
 * The text of a file or a pipe. It reads no more than allowed, because a device may never end.
 * @throws an error of the system or of the decoder, and for more than {@link MAX_FILE_BYTES}
 */
export function readTextFile(file: string): string {
  // To open a pipe that nobody writes to would wait for ever. A shell hands over its pipes as /dev/fd/63.
  if (!/^\/(?:dev|proc)\//.test(file) && statSync(file).isFIFO()) throw new Error("it is a pipe, and is not opened");
  const room = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
  const descriptor = openSync(file, "r");
  let size = 0;
  try {
    for (let count = -1; count !== 0; size += count) count = readSync(descriptor, room, size, room.length - size, null);
  } finally {
    closeSync(descriptor);
  }
  if (size > MAX_FILE_BYTES) throw new RangeError(`larger than ${MAX_FILE_BYTES} bytes`);
  const bytes = room.subarray(0, size);
  if (looksLikeUtf16(new TextDecoder().decode(bytes.subarray(0, 4)))) throw new Error(UTF_16);
  const strict = new TextDecoder("utf-8", { fatal: true });
  const text = readOrNull(() => strict.decode(bytes));
  if (text !== null) return text;
  const lenient = new TextDecoder().decode(bytes);
  throw new Error(`it is not UTF-8, ${lineAndColumn(lenient, lenient.indexOf("\u{FFFD}"))}: save it as UTF-8`);
}

/**
 * Runs a step on a file of momo's, which another momo can remove meanwhile: SQLite removes the files beside a database when the last
 * process closes it.
 * @returns null if the step failed because the file is gone
 */
export function unlessGone<T>(file: string, step: () => T): T | null {
  try {
    return step();
  } catch (error) {
    if (statsOfPlace(file)) throw error;
    return null;
  }
}

/** Of the path itself; links are not followed. Null if it cannot be read: its use reports why. */
export const statsOfPlace = (path: string): Stats | null => readOrNull(() => lstatSync(path));

/** Follows links. */
export const statsOfTarget = (path: string): Stats | null => readOrNull(() => statSync(path));

/** Whether a file or a folder belongs to another user. For root, every other user counts, too. Windows has no such owners. */
export function isForeign({ uid }: Pick<Stats, "uid">): boolean {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own;
}
