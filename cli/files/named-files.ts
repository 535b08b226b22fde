import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { counted } from "../../src/domain/counted.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import type { Io } from "../io.ts";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, dataDirectoryAt, filesOf } from "./data-directory.ts";
import { cannotWrite, writeWhole, writing } from "./files.ts";
import { readCredentials, readServer } from "./server-record.ts";

/**
 * The files that a command line names for momo to write. Each is judged before the first one is touched, and is written as a whole.
 * docs/cli.md has the rules.
 */

const ELSEWHERE = "name another file";

/** Which content a file has: another one has other figures. Null: there is no file. */
type Version = string | null;

export class NamedFile {
  readonly #name: string;
  readonly #place: string;
  /** Where its links lead. */
  readonly #target: string;
  /** A device, or what is open already, such as /dev/stdout: others write there, too, so it is only added to. */
  readonly #isStream: boolean;
  readonly #before: Version;
  #isWritten = false;

  /**
   * It changes nothing.
   * @throws Failure `usage` if momo must not write the file
   */
  constructor(io: Io, option: string, file: string) {
    this.#name = `${option} ${file}`;
    this.#place = io.resolvePath(file);
    const explained = <T>(step: () => T): T => writing(this.#place, ELSEWHERE, step, this.#name);
    const stats = explained(() => statSync(this.#place, { throwIfNoEntry: false }));
    this.#isStream = stats !== undefined && isStreamAt(this.#place, stats);
    this.#target = this.#isStream ? this.#place : explained(() => targetOf(this.#place));
    const wrong = explained(() => whyRefused(this.#place, this.#target, stats));
    if (wrong !== null) throw new Failure("usage", `${this.#name} ${wrong}, and stays as it is`, ELSEWHERE);
    this.#before = versionOf(this.#place);
  }

  /** The same for two paths to one file. */
  get identity(): string {
    return identityOf(this.#place);
  }

  get name(): string {
    return this.#name;
  }

  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** @throws Failure if the system does not permit to write it, so that this is known before the work */
  requireWritable(): void {
    if (this.#isStream) return;
    this.#explained(() => {
      if (existsSync(this.#target)) accessSync(this.#target, constants.W_OK);
      // Missing folders are made when the file is written.
      let folder = dirname(this.#target);
      while (!lstatSync(folder, { throwIfNoEntry: false }) && folder !== dirname(folder)) folder = dirname(folder);
      accessSync(join(folder, "."), constants.W_OK);
    });
  }

  /**
   * Writes it as a whole, or not at all. A file that exists keeps its mode, a new one is private.
   * @throws Failure if it cannot be written, or has changed since it was judged
   */
  write(text: string): void {
    this.#explained(() => {
      if (this.#isStream) writeFileSync(this.#place, text, { flag: "a" });
      else this.#replace(text);
    });
    this.#isWritten = true;
  }

  /** Empties it for lines that are written one by one. */
  openLines(): Lines {
    return this.#explained(() => {
      if (!this.#isStream) this.#replace("");
      this.#isWritten = true;
      return new Lines(this.#name, openSync(this.#place, "a"), this.#isStream ? null : this.#place);
    });
  }

  #replace(text: string): void {
    if (versionOf(this.#place) !== this.#before || targetOf(this.#place) !== this.#target) throw changed(this.#name);
    mkdirSync(dirname(this.#target), { recursive: true });
    writeWhole(this.#target, text, statSync(this.#target, { throwIfNoEntry: false }));
  }

  #explained<T>(step: () => T): T {
    return writing(this.#place, ELSEWHERE, step, this.#name);
  }
}

const changed = (name: string): Failure =>
  new Failure("unexpected", `${name} was changed by another program, and stays as it is`, ELSEWHERE);

/**
 * @param read the files that the same line names for reading, by their options
 * @throws Failure `usage` if two options name one file: one would replace what the other has written or reads
 */
export function requireDifferent(
  io: Io,
  written: readonly NamedFile[],
  read: Readonly<Record<string, string | undefined>> = {},
) {
  const seen = new Map<string, string>();
  for (const [option, file] of Object.entries(read)) {
    if (file !== undefined) seen.set(identityOf(io.resolvePath(file)), `${option} ${file}`);
  }
  for (const { identity, name } of written) {
    const other = seen.get(identity);
    if (other !== undefined) throw new Failure("usage", `${name} and ${other} are one file`, "name two files");
    seen.set(identity, name);
  }
}

/** Also through a link, another path or a hard link. */
function identityOf(place: string): string {
  const stats = readOrNull(() => statSync(place, { bigint: true }));
  return stats ? `${stats.dev}:${stats.ino}` : (readOrNull(() => targetOf(place)) ?? place);
}

/** Follows the links of a path, of which the last parts may not exist yet. */
function targetOf(place: string): string {
  if (statSync(place, { throwIfNoEntry: false }) || place === dirname(place)) return realpathSync(place);
  return join(targetOf(dirname(place)), basename(place));
}

function versionOf(place: string): Version {
  const stats = statSync(place, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino} ${stats.size} ${stats.mtimeNs}` : null;
}

/**
 * Whether a path leads to what this process, or the one that started it, has open, such as `/dev/stdout`: nothing may be removed or
 * renamed there.
 */
export function isOpenAlready(place: string, { dev, ino }: Stats): boolean {
  if (/^\/(?:dev\/(?:fd\/|std)|proc\/)/.test(place)) return true;
  return [1, 2].some((descriptor) => {
    const own = readOrNull(() => fstatSync(descriptor));
    return own?.dev === dev && own.ino === ino;
  });
}

/** Why momo must not write there, in words that follow its name; null if it may. */
function whyRefused(place: string, target: string, stats: Stats | undefined): string | null {
  const isStream = stats !== undefined && isStreamAt(place, stats);
  if (stats?.isDirectory()) return "is a folder";
  if (stats && !stats.isFile() && !isStream) return stats.isFIFO() ? "is a pipe" : "is not a file";
  if (!stats && lstatSync(place, { throwIfNoEntry: false })) return "is a link that leads nowhere";
  if (stats?.isFile() && isDatabase(target)) return "is a database";
  if (stats?.isFile() && !isStream && (stats.mode & 0o222) === 0) return "is write-protected";
  return whyTaken(place) ?? whyTaken(target);
}

/** Why a path is taken, also if nothing is there yet; null if it is free. `own` is the data directory of this command, which may be new. */
export function whyTaken(path: string, own: DataDirectory | null = null): string | null {
  const [, database] = /^(.+)-(?:wal|shm|journal)$/.exec(path) ?? [];
  if (database !== undefined && isDatabase(database)) return `belongs to the database ${database}`;
  return isOfMomo(path, own) ? "is a file of momo's in a data directory" : null;
}

const isStreamAt = (place: string, stats: Stats): boolean => stats.isCharacterDevice() || isOpenAlready(place, stats);

function isOfMomo(path: string, own: DataDirectory | null): boolean {
  const directory = dataDirectoryAt(dirname(path));
  const names = filesOf(directory).map((file) => basename(file));
  if (!names.includes(basename(path).toLowerCase())) return false;
  if (own && identityOf(own.path) === identityOf(directory.path)) return true;
  if (existsSync(directory.database) || existsSync(directory.lock)) return true;
  return readOrNull(() => readCredentials(directory) ?? readServer(directory)) !== null;
}

/** By its content, whatever its name is. */
const isDatabase = (path: string): boolean => beginningOf(path) === "SQLite format 3\0";

/** Empty if there is no such file. */
function beginningOf(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return "";
  const room = Buffer.alloc(16);
  const descriptor = openSync(path, "r");
  try {
    return room.toString("latin1", 0, readSync(descriptor, room));
  } finally {
    closeSync(descriptor);
  }
}

/** Much more than a test needs; it fits on any disk. */
const MAX_LINES_BYTES = 64_000_000;

/** A file that grows by lines. It is written as they come, so a killed momo leaves what has happened. */
export class Lines {
  readonly #name: string;
  readonly #descriptor: number;
  /** Null for a stream, where others write, too. */
  readonly #place: string | null;
  #bytes = 0;
  #written: Version;
  #leftOut = 0;
  #problem: Failure | null = null;

  constructor(name: string, descriptor: number, place: string | null) {
    this.#name = name;
    this.#descriptor = descriptor;
    this.#place = place;
    this.#written = place && versionOf(place);
  }

  add(line: string): void {
    if (this.#problem || this.#leftOut > 0) {
      this.#leftOut += 1;
      return;
    }
    const bytes = Buffer.byteLength(line) + 1;
    const isFull = this.#bytes + bytes > MAX_LINES_BYTES - FULL.length - 1;
    if (isFull) this.#leftOut += 1;
    this.#bytes += bytes;
    this.#attempt(() => writeFileSync(this.#descriptor, `${isFull ? FULL : line}\n`));
  }

  /** @returns why lines are missing; null if none is */
  close(): Failure | null {
    this.#attempt(() => {});
    closeSync(this.#descriptor);
    if (this.#problem || this.#leftOut === 0) return this.#problem;
    const lines = counted(this.#leftOut, "line");
    return new Failure("unexpected", `${this.#name} is full (64 MB): it lacks the last ${lines}`);
  }

  #attempt(step: () => void): void {
    if (this.#problem) return;
    try {
      if (this.#place !== null && versionOf(this.#place) !== this.#written) throw changed(this.#name);
      step();
      this.#written = this.#place && versionOf(this.#place);
    } catch (error) {
      this.#problem = error instanceof Failure ? error : cannotWrite(this.#place ?? "", error, ELSEWHERE, this.#name);
    }
  }
}

/** The last line of a full file. */
const FULL = JSON.stringify({ error: { code: "full", message: "64 MB are written: later requests are left out" } });
