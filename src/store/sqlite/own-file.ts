import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { UnusableDatabase } from "../store.ts";
import { APPLICATION_ID } from "./migrations.ts";

/**
 * Whose a file with the name of a database of momo's is, by its first bytes. SQLite cannot tell: to open the file of another program,
 * it would write files beside it. Do not read a database that this process has open: the close would end SQLite's locks.
 */

const MAGIC = "SQLite format 3\0";
const APPLICATION_ID_AT = 68;

/** So many bytes tell whose a database is. */
export const HEADER_BYTES = APPLICATION_ID_AT + 4;

const isDatabase = (bytes: Buffer): boolean =>
  bytes.length >= HEADER_BYTES && bytes.toString("latin1", 0, MAGIC.length) === MAGIC;

const isOwnDatabase = (bytes: Buffer): boolean =>
  isDatabase(bytes) && bytes.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;

/**
 * Refuses bytes that do not begin a database of momo's: the first {@link HEADER_BYTES} of a file, or more.
 * @throws UnusableDatabase that calls the file by its name
 */
export function requireOwnHeader(bytes: Buffer, name: string): void {
  if (!isDatabase(bytes)) throw new UnusableDatabase("damaged", `${name} is damaged or not a database`);
  if (!isOwnDatabase(bytes)) throw new UnusableDatabase("foreign", `${name} is not a database of momo's`);
}

/** What SQLite's files beside a database begin with; the last two begin with zeroes until they are complete. */
const BEGINNINGS: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "-wal": (bytes) => bytes.readUInt32BE(0) >>> 1 === 0x377f0682 >>> 1,
  "-shm": (bytes) => [0, 3_007_000].includes(bytes.readUInt32LE(0)),
  "-journal": (bytes) => [0, 0xd9d505f9].includes(bytes.readUInt32BE(0)),
};

/**
 * Whether a plain file is a database of momo's, or, by its name, what SQLite keeps beside one. An empty file is: that is a database
 * without tables, which a process that was killed can leave.
 * @throws an error of the system if it cannot be read
 */
export function isOwnFile(file: string): boolean {
  if (lstatSync(file).size === 0) return true;
  const [, companion = ""] = /(-wal|-shm|-journal)$/.exec(file) ?? [];
  const bytes = beginningOf(file);
  const begins = BEGINNINGS[companion];
  return begins ? bytes.length >= 4 && begins(bytes) : isOwnDatabase(bytes);
}

function beginningOf(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}
