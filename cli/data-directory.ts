import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
  };
}

function platformDefault(): string {
  const { xdgDataHome, localAppData } = platformFolders();
  if (xdgDataHome?.startsWith("/")) return join(xdgDataHome, "momo");
  if (process.platform === "win32") return join(localAppData ?? join(homedir(), "AppData", "Local"), "momo");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "momo");
  return join(homedir(), ".local", "share", "momo");
}

/** Makes the directory where it is missing. One that exists keeps its mode: it may hold other things too. */
export function makeDataDirectory({ path }: DataDirectory): void {
  try {
    if (existsSync(path)) return;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

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

/** No file of ours comes near it. */
const MAX_FILE_BYTES = 64 * 1024;

/** A JSON file of ours, or null where there is none. What it holds is for the caller to check. */
export function readJsonFile(file: string): unknown {
  try {
    const text = readFileSync(file);
    if (text.length > MAX_FILE_BYTES) throw new SyntaxError("too large");
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw damaged(file);
  }
}

export function damaged(file: string): Failure {
  return new Failure(
    "unexpected",
    `${file} cannot be read as a file of momo's`,
    "delete it: momo serve writes it anew",
  );
}
