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

/** Reads and writes whole files, up to a bound. */

/** Writes a private file completely, or not at all. */
export function writePrivateFile(file: string, content: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    rmSync(draft, { force: true });
    // Exclusive, so that it never follows a link of another user.
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw cannotWrite(file, error);
  }
}

/** Why a file or a folder of momo cannot be created or written. */
export function cannotWrite(file: string, error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  return new Failure(
    "unexpected",
    `${file} cannot be written (${code ?? String(error)})`,
    "make the folder writable, or choose another one with --data",
  );
}

/** Much more than any file for momo needs. */
const MAX_FILE_BYTES = 1024 * 1024;

/** Checks a file before it is read. It checks the open file, so that no other process can replace it between check and read. */
type Check = (stats: Stats) => void;

/**
 * The JSON in a file; undefined if there is no such file. The caller checks its content.
 * @throws an error of the system, of the decoder or of the parser, or what `check` throws
 */
export function readJsonFile(file: string, check?: Check): unknown {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readText(file, check));
}

/**
 * The text of a file or a pipe. It reads no more than allowed, because a device may never end.
 * @throws an error of the system or of the decoder, and for more than {@link MAX_FILE_BYTES}
 */
export function readText(file: string, check?: Check): string {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  const chunks: Buffer[] = [];
  const descriptor = openSync(file, "r");
  let size = 0;
  try {
    check?.(fstatSync(descriptor));
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
