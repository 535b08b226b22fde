import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { Failure } from "../terminal/failure.ts";

/** Files that are read and written as a whole, within a bound. */

/** Writes a file that nobody else can read, whole or not at all. */
export function writePrivateFile(file: string, content: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    rmSync(draft, { force: true });
    // Exclusive, so that no link that somebody put there is followed.
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw cannotWrite(file, error);
  }
}

/** Why a file or a folder of ours cannot be made or written. */
export function cannotWrite(file: string, error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  return new Failure(
    "unexpected",
    `${file} cannot be written (${code ?? String(error)})`,
    "make the folder writable, or choose another one with --data",
  );
}

/** No file of ours, and nothing that people give us, comes near it. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Looks at a file before it is read: at the open file itself, so that nobody can put another one in its place meanwhile. */
type Look = (stats: Stats) => void;

/**
 * The JSON in a file, or undefined where there is no such file. What it holds is for the caller to check.
 * @throws an error of the system, of the decoder or of the parser, or what `look` throws
 */
export function readJsonFile(file: string, look?: Look): unknown {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readText(file, look));
}

/**
 * The text of a file or a pipe, never holding more of it than allowed: a device need not have an end.
 * @throws an error of the system or of the decoder, and for more than {@link MAX_FILE_BYTES}
 */
export function readText(file: string, look?: Look): string {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  const chunks: Buffer[] = [];
  const descriptor = openSync(file, "r");
  let size = 0;
  try {
    look?.(fstatSync(descriptor));
    for (let count = -1; count !== 0; size += count) {
      if (size > MAX_FILE_BYTES) throw new RangeError(`larger than ${MAX_FILE_BYTES} bytes`);
      count = readSync(descriptor, chunk, 0, chunk.length, null);
      chunks.push(Buffer.from(chunk.subarray(0, count)));
    }
  } finally {
    closeSync(descriptor);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}
