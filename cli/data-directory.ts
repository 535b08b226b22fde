import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { momoEnvironment, platformFolders } from "./environment.ts";
import { Failure } from "./failure.ts";

/** Where momo keeps everything. Only its owner can read it. */
export interface DataDirectory {
  readonly path: string;
  readonly database: string;
  readonly lock: string;
  readonly credentials: string;
  readonly server: string;
  readonly clock: string;
}

/** `--data`, then `MOMO_DATA`, then the platform's data folder. Nothing is created. */
export function locateDataDirectory(flag: string | undefined): DataDirectory {
  return dataDirectoryAt(resolve(flag ?? momoEnvironment().data ?? platformDefault()));
}

export function dataDirectoryAt(path: string): DataDirectory {
  return {
    path,
    database: join(path, "momo.db"),
    lock: join(path, "momo.lock"),
    credentials: join(path, "credentials.json"),
    server: join(path, "server.json"),
    clock: join(path, "clock.json"),
  };
}

function platformDefault(): string {
  const { xdgDataHome, localAppData } = platformFolders();
  if (xdgDataHome?.startsWith("/")) return join(xdgDataHome, "momo");
  if (process.platform === "win32") return join(localAppData ?? join(homedir(), "AppData", "Local"), "momo");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "momo");
  return join(homedir(), ".local", "share", "momo");
}

/**
 * Makes the directory where it is missing. One that exists keeps its mode, because it may hold other things too; the files in it
 * that are ours are made ours alone.
 */
export function makeDataDirectory(directory: DataDirectory): void {
  const { path } = directory;
  try {
    if (existsSync(path)) {
      for (const file of filesOf(directory)) hideFromOthers(file);
    } else {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chmodSync(path, 0o700);
    }
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

const filesOf = ({ database, lock, credentials, server, clock }: DataDirectory) => [
  ...[database, `${database}-wal`, `${database}-shm`],
  ...[lock, credentials, server, clock],
];

/** Somebody may have copied it here with another mode. What is no plain file is refused where it is read. */
function hideFromOthers(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

/** Whether everybody on this machine may put files into the directory, and so take the place of ours. */
export function isOpenToAll(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o002) !== 0;
}

export const CLOSE_TO_ALL = "chmod o-w on it, or choose another folder with --data";

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

function cannotWrite(file: string, error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  return new Failure(
    "unexpected",
    `${file} cannot be written (${code ?? String(error)})`,
    "make the folder writable, or choose another one with --data",
  );
}

/** No file of ours, and nothing that people give us, comes near it. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * The JSON in a file, or undefined where there is no such file. What it holds is for the caller to check.
 * @throws an error of the system, of the decoder or of the parser
 */
export function readJson(file: string): unknown {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readText(file));
}

/**
 * The text of a file or a pipe, never holding more of it than allowed: a device need not have an end.
 * @throws an error of the system or of the decoder, and for more than {@link MAX_FILE_BYTES}
 */
export function readText(file: string): string {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  const chunks: Buffer[] = [];
  const descriptor = openSync(file, "r");
  let size = 0;
  try {
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
