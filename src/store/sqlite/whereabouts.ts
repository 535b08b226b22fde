import { constants, type Database } from "bun:sqlite";
import {
  closeSync,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
} from "node:fs";
import { dirname } from "node:path";
import { counted } from "../../domain/counted.ts";
import type { Trouble } from "../vitals.ts";
import { firstOf } from "./database.ts";

/** The files of the database are not where the server opened them, so a payment would be lost when it stops. */
export class Displaced extends Error {
  override readonly name = "Displaced";

  constructor(readonly trouble: Trouble) {
    super(`the database fails: ${trouble.reason}; ${trouble.advice}`);
  }
}

const CUT = "the file of the database was cut off";
const OVERWRITTEN = "the file of the database was overwritten";
const LOG_CUT = "the log beside the database was cut off";

const PUT_BACK = "put back what was moved or removed, or start momo again, at";
const RESTART = {
  [CUT]: "stop momo, and put a copy in its place with momo import --replace:",
  [OVERWRITTEN]: "start momo again to serve what is there now:",
  [LOG_CUT]: "start momo again to serve what is left:",
};

/**
 * Watches whether the files of an open database are still in their place: somebody may remove, move, replace or overwrite them.
 * SQLite itself notices nothing, and goes on with the files that it has open.
 */
export class Whereabouts {
  readonly #client: Database;
  readonly #file: string;
  readonly #companions: readonly string[];
  /** As each file was when it was first seen. Empty for a database that is not in a file. */
  readonly #opened = new Map<string, Stats>();
  readonly #contents: ReturnType<typeof watchContents>;
  #largest: number;
  #modifiedMs: number | undefined;
  /** A file that was overwritten does not become whole again. */
  #damage: keyof typeof RESTART | null = null;
  #lostLog: string | null = null;

  constructor(client: Database, file: string) {
    this.#client = client;
    this.#file = file;
    this.#companions = [`${file}-wal`, `${file}-shm`];
    this.#contents = watchContents(client, file);
    const own = statsOf(file);
    if (own) for (const path of [file, ...this.#companions]) this.#isInPlace(path, statsOf(path));
    this.#largest = own?.size ?? 0;
  }

  /** Why nothing may be stored now; null if all files are in their place. */
  displaced(): Displaced | null {
    return this.#explain(this.#find());
  }

  /**
   * A short check, for each commit: 3 µs.
   * @throws Displaced
   */
  readonly demandFile = (): void => {
    const displaced = this.#explain(this.#findFile() ?? this.#lostLog);
    if (displaced) throw displaced;
  };

  /** What became of the payments, for the last line of a server; null if they are where they were. */
  fate(): string | null {
    const reason = this.#find();
    if (reason === null) return null;
    if (this.#damage === OVERWRITTEN) return `${reason}: its payments are lost, unless there is a copy`;
    if (this.#damage === LOG_CUT) return `${reason}: its newest payments are lost, unless there is a copy`;
    const count = orNull(() => firstOf(this.#client, "SELECT coalesce(sum(count), 0) FROM totals WHERE bits = 0"));
    const payments = `${reason}: its ${count === null ? "payments" : counted(Number(count), "payment")}`;
    if (this.#damage) return `${payments} are lost, unless there is a copy`;
    const place =
      statsOf(this.#file)?.ino === this.#opened.get(this.#file)?.ino ? this.#file : this.#contents.whereNow();
    return place === null ? `${payments} are lost` : `${payments} are kept in ${place}`;
  }

  /**
   * Call it instead of the close.
   * @param close closes the database
   */
  closing(close: () => void): void {
    // SQLite would remove the log by its path, where another database can be by now.
    if (this.#find() !== null) this.#client.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
    // A close, also that at the end of the process, writes the log of the old database into the new one, unless it cannot read it.
    if (this.#damage === OVERWRITTEN || this.#damage === LOG_CUT) {
      const own = this.#companions.filter((path) => this.#isInPlace(path, statsOf(path)));
      for (const path of own) {
        if (path.endsWith("-wal")) truncateSync(path);
        rmSync(path, { force: true });
      }
    } else {
      close();
      this.#contents.close();
    }
    this.#opened.clear();
  }

  #explain(reason: string | null): Displaced | null {
    if (reason === null) return null;
    return new Displaced({ reason, advice: `${this.#damage ? RESTART[this.#damage] : PUT_BACK} ${this.#file}` });
  }

  #find(): string | null {
    const reason = this.#findFile();
    if (reason !== null || this.#opened.size === 0) return reason;
    const isComplete = this.#companions.every((path) => this.#isInPlace(path, statsOf(path)));
    this.#lostLog = isComplete ? null : "the log beside the database is gone";
    if (isComplete) this.#compareContents();
    return this.#lostLog ?? this.#damage;
  }

  #findFile(): string | null {
    if (this.#opened.size === 0) return null;
    const now = statsOf(this.#file);
    if (!this.#isInPlace(this.#file, now)) {
      if (now) return "another file is in the place of the database";
      return `the ${statsOf(dirname(this.#file)) ? "file" : "folder"} of the database is gone`;
    }
    const size = now?.size ?? 0;
    if (size < this.#largest && this.#isCut(size)) this.#damage = CUT;
    this.#largest = size;
    // Only a checkpoint of SQLite changes it, or somebody else.
    if (!this.#damage && now?.mtimeMs !== this.#modifiedMs) this.#compareContents();
    this.#modifiedMs = now?.mtimeMs;
    const log = statsOf(`${this.#file}-wal`);
    if (!this.#damage && log && orNull(() => this.#contents.isLogCut(log.size))) this.#damage = LOG_CUT;
    return this.#damage;
  }

  #compareContents(): void {
    if (orNull(this.#contents.isOverwritten)) this.#damage = OVERWRITTEN;
  }

  /** Whether a path has the file that it had. A file that SQLite makes later is learnt when it is first seen. */
  #isInPlace(path: string, now: Stats | null): boolean {
    const before = this.#opened.get(path);
    if (!before && now) this.#opened.set(path, now);
    return !before || (now?.ino === before.ino && now.dev === before.dev);
  }

  /** VACUUM by another program makes the file smaller, too, but no smaller than the database, which can still be read. */
  #isCut(size: number): boolean {
    const pages = orNull(() => firstOf(this.#client, "PRAGMA page_count"));
    return pages === null || size < Number(pages) * Number(firstOf(this.#client, "PRAGMA page_size"));
  }
}

const statsOf = (path: string): Stats | null => orNull(() => statSync(path));

/** A file that is gone or damaged must not end the server that watches it. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

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
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return "the moved file";
      }
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
    isLogCut: (size: number) => isLogCut(file, size, reader),
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

/** Whether the log is too short for the pages that are only in it. SQLite would take zeros for them. */
function isLogCut(file: string, size: number, { read }: Reader): boolean {
  const index = Buffer.alloc(INDEX.bytes);
  read(`${file}-shm`, index, 0);
  const frames = index.readUint32LE(INDEX.frames);
  const pageSize = index.readUint16LE(INDEX.pageSize);
  const frameBytes = FRAME_HEADER_BYTES + (pageSize === 1 ? LARGEST_PAGE : pageSize);
  return frames > index.readUint32LE(INDEX.written) && size < LOG_HEADER_BYTES + frames * frameBytes;
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
function watchChanges(file: string, { read, stats }: Reader): () => boolean {
  let seen: { readonly checkpoint: string; readonly modified: bigint; readonly digest: number | bigint } | null = null;

  /** Null while one is under way. */
  function lastCheckpoint(): string | null {
    const index = Buffer.alloc(INDEX.bytes);
    read(`${file}-shm`, index, 0);
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
