import type { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { readOrNull } from "../../domain/read-or-null.ts";
import { firstOf } from "./database.ts";

/** Reads the files of an open database beside SQLite. */
function createReader() {
  /** Opened only once, and closed after the database: a close releases the locks of SQLite on the file. */
  const opened = new Map<string, number>();
  function open(path: string): number {
    const descriptor = opened.get(path) ?? openSync(path, "r");
    opened.set(path, descriptor);
    return descriptor;
  }
  return {
    read: (path: string, bytes: Buffer, at: number) => readSync(open(path), bytes, 0, bytes.length, at),
    stats: (path: string) => fstatSync(open(path), { bigint: true }),
    /** The path of an open file now, as far as the system tells it; null if it was removed. */
    whereNow(path: string): string | null {
      const descriptor = opened.get(path);
      if (descriptor === undefined || fstatSync(descriptor).nlink === 0) return null;
      return readOrNull(() => readlinkSync(`/proc/self/fd/${descriptor}`)) ?? "the moved file";
    },
    close(): void {
      for (const descriptor of opened.values()) closeSync(descriptor);
    },
  };
}

type Reader = ReturnType<typeof createReader>;

/** Watches whether somebody else has written to the file of an open database. */
export function watchContents(client: Database, file: string) {
  const reader = createReader();
  const isKeyGone = watchKey(client, file, reader);
  const isChanged = watchChanges(file, reader);
  return {
    isOverwritten: () => isKeyGone() || isChanged(),
    isLogCut: (sizeOfLog: () => number) => isLogCut(file, sizeOfLog, reader),
    whereNow: () => reader.whereNow(file),
    close: reader.close,
  };
}

/**
 * Where the header of the index of the log has what, in bytes. SQLite keeps it in the file that ends in `-shm`, with the numbers
 * as the processor has them: https://www.sqlite.org/walformat.html#the_wal_index_file_format
 */
const INDEX = {
  /** szPage; 1 for a page of 65,536 bytes. */
  pageSize: 14,
  /** mxFrame: how many frames the log has. A frame is a page and its header. */
  frames: 16,
  /** aSalt: each restart of the log changes it. */
  salts: 32,
  /** nBackfill: how many frames the checkpoints have written to the database. */
  written: 96,
  /** nBackfillAttempted: how many the last checkpoint was to write. */
  begun: 128,
  bytes: 136,
};

const LARGEST_PAGE = 65536;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

function readIndex(file: string, { read }: Reader): Buffer {
  const index = Buffer.alloc(INDEX.bytes);
  read(`${file}-shm`, index, 0);
  return index;
}

/**
 * Whether the log is too short for the pages that are only in it. SQLite would take zeros for them. Another process may write
 * meanwhile: the log grows before its index says so, and the index says that the log is empty before that is so.
 */
function isLogCut(file: string, sizeOfLog: () => number, reader: Reader): boolean {
  const index = readIndex(file, reader);
  const size = sizeOfLog();
  const frames = index.readUint32LE(INDEX.frames);
  const pageSize = index.readUint16LE(INDEX.pageSize);
  const frameBytes = FRAME_HEADER_BYTES + (pageSize === 1 ? LARGEST_PAGE : pageSize);
  const isShort = frames > index.readUint32LE(INDEX.written) && size < LOG_HEADER_BYTES + frames * frameBytes;
  return isShort && readIndex(file, reader).equals(index);
}

/** Each database has a random key, in a page that stays where it is. A database that is written over it has another key. */
function watchKey(client: Database, file: string, { read }: Reader): () => boolean {
  let isSeen = false;
  let sought: { readonly page: Buffer; readonly at: number; readonly key: Uint8Array } | null = null;

  function seek() {
    const size = Number(firstOf(client, "PRAGMA page_size"));
    const number = Number(firstOf(client, "SELECT rootpage FROM sqlite_schema WHERE name = 'numbering'"));
    const key = firstOf(client, "SELECT request_id_key FROM numbering") as Uint8Array;
    return { page: Buffer.alloc(size), at: (number - 1) * size, key };
  }

  return () => {
    sought ??= seek();
    read(file, sought.page, sought.at);
    const isThere = sought.page.includes(sought.key);
    // The log can have the key, and the file not yet.
    isSeen ||= isThere;
    return isSeen && !isThere;
  };
}

/** How much of the beginning and of the end of the file is compared: payments change both. */
const COMPARED_BYTES = 256 * 1024;

/** SQLite writes to the file only in a checkpoint. Any other change is somebody else's, such as an older copy in its place. */
function watchChanges(file: string, reader: Reader): () => boolean {
  const { read, stats } = reader;
  let seen: { readonly checkpoint: string; readonly modified: bigint; readonly digest: number | bigint } | null = null;

  /** Null while one is under way. */
  function lastCheckpoint(): string | null {
    const index = readIndex(file, reader);
    const written = index.readUint32LE(INDEX.written);
    return written === index.readUint32LE(INDEX.begun) ? `${index.readBigUint64LE(INDEX.salts)} ${written}` : null;
  }

  function digestOf(size: number): number | bigint {
    const [beginning, end] = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)];
    read(file, beginning, 0);
    read(file, end, Math.max(0, size - COMPARED_BYTES));
    return Bun.hash(Buffer.concat([beginning, end]), size);
  }

  return () => {
    const checkpoint = lastCheckpoint();
    const { mtimeNs: modified, size } = stats(file);
    if (checkpoint === null || (seen?.checkpoint === checkpoint && seen.modified === modified)) return false;
    const digest = digestOf(Number(size));
    if (lastCheckpoint() !== checkpoint) return false;
    // A new time alone is no change.
    if (seen?.checkpoint === checkpoint && seen.digest !== digest) return true;
    seen = { checkpoint, modified, digest };
    return false;
  };
}
