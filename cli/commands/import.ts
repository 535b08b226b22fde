import { closeSync, existsSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { isMemo } from "../../sandbox/network/script.ts";
import {
  type CopyContents,
  continueNumbers,
  draftBeside,
  HEADER_BYTES,
  openStore,
  putInPlace,
  readRows,
  removeDatabase,
  requireOwnHeader,
  writeRows,
} from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import type { DataDirectory } from "../files/data-directory.ts";
import { cannotRead, cannotWrite } from "../files/files.ts";
import { holdDirectory, locateDataDirectory, removeWithoutDatabase, requireUnused } from "../files/own-directory.ts";
import { readCredentials } from "../files/server-record.ts";
import { makeTemporaryDirectory, removeTemporaryLeftovers } from "../files/temporary-directory.ts";
import type { Io } from "../io.ts";
import { isInForce } from "../serving/credentials.ts";
import { type NamedDatabase, withDatabase } from "../serving/engine.ts";
import { askToGoOn } from "../terminal/ask.ts";
import { Command } from "../terminal/command.ts";
import { Failure, withHintFor } from "../terminal/failure.ts";
import { dataOption, jsonOption, readPathOrDash, withOptions, yesOption } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { type DatabaseFlags, databaseOptions, databaseUnlessData } from "./database-flags.ts";
import { describeContents } from "./export.ts";

interface ImportFlags extends OutputOptions, DatabaseFlags {
  readonly data?: string;
  readonly replace?: true;
  readonly yes?: true;
}

export function importCommand(io: Io): Command {
  const command = new Command("import")
    .argument("<file>", "a copy that momo export made; -: standard input", readPathOrDash)
    .option("--replace", "replace the existing database, which is lost");
  withOptions(command, yesOption(), dataOption(), jsonOption(), ...databaseOptions());
  return command.action((file: string, flags: ImportFlags) => {
    const database = databaseUnlessData(io, flags);
    return database ? importIntoDatabase(io, file, flags, database) : importData(io, file, flags);
  });
}

/** Moves a copy into a shared database. The database must be empty, and is filled completely or not at all. */
async function importIntoDatabase(io: Io, file: string, flags: ImportFlags, database: NamedDatabase): Promise<void> {
  io.hideFiles();
  if (flags.replace) {
    throw new Failure("usage", "--replace is for data directories", "make a new database, and give that");
  }
  const source = await openSource(io, file);
  removeTemporaryLeftovers();
  const { directory, remove } = makeTemporaryDirectory();
  io.atTheEnd(remove);
  const contents = await importRows(io, directory, directory.database, source);
  await withDatabase(database, "empty", (store) => store.importAll(readRows(directory.database, source.name)));
  if (flags.json) io.printJson({ replaced: false, ...contents });
  else io.tell(`filled the database: ${describeContents(contents)}`);
}

async function importData(io: Io, file: string, flags: ImportFlags): Promise<void> {
  io.hideFiles();
  const directory = locateDataDirectory(io, flags.data);
  requireUnused(directory);
  const source = await openSource(io, file);
  // What is refused up to here changes nothing. Another process can make a database until this one holds the lock.
  if (requireConsent(directory, flags)) {
    await askToGoOn(
      io,
      () => [`${directory.database} is replaced: what is in it is lost. momo export FILE makes a copy first.`],
      flags,
    );
  }
  const isNew = !existsSync(directory.path);
  using held = new DisposableStack();
  held.defer(holdDirectory(directory, io.warn));
  if (isNew) held.defer(() => removeWithoutDatabase(directory));
  const replaces = requireConsent(directory, flags);
  const draft = draftBeside(directory.database);
  io.atTheEnd(() => removeDatabase(draft));
  const contents = await importRows(io, directory, draft, source);
  if (!continueNumbers(draft, directory.database)) io.tell(NUMBERS_UNKNOWN);
  putInPlace(draft, directory.database);
  const credentials = await compareCredentials(directory);
  if (flags.json) io.printJson({ data: directory.path, replaced: replaces, ...contents, credentials });
  else {
    io.tell(`${replaces ? "replaced" : "made"} ${directory.database}: ${describeContents(contents)}`);
    if (credentials === "other") io.tell(OTHER_CREDENTIALS);
  }
}

/** @returns whether a database is replaced. @throws Failure if there is one, and `--replace` does not say so */
function requireConsent({ database }: DataDirectory, { replace }: ImportFlags): boolean {
  const replaces = existsSync(database) && statSync(database).size > 0;
  if (!replaces || replace) return replaces;
  throw new Failure(
    "unexpected",
    `${database} already exists, and would be lost`,
    "keep a copy with momo export; then say --replace, or choose another folder with --data",
  );
}

const OTHER_CREDENTIALS =
  "credentials.json has no key of this database: momo serve will make a new one, and write it there";

const NUMBERS_UNKNOWN =
  "the replaced database is damaged: its transaction numbers are not known, and may be used again";

/** What is copied, and what a refusal calls it. */
interface Source {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** @throws Failure or UnusableDatabase if the first bytes are not of a database of momo's: a draft with others would not be ours */
async function openSource(io: Io, file: string): Promise<Source> {
  const { name, stream } = streamOf(io, file);
  const chunks = stream[Symbol.asyncIterator]();
  try {
    let beginning = Buffer.alloc(0);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      beginning = Buffer.concat([beginning, next.value]);
      if (beginning.length >= HEADER_BYTES) break;
    }
    requireOwnHeader(beginning, name);
    return { name, bytes: withRest(beginning, chunks) };
  } catch (error) {
    throw error instanceof UnusableDatabase ? withHintFor("copy", error) : cannotRead(name, error);
  }
}

async function* withRest(beginning: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield beginning;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

function streamOf(io: Io, file: string): { readonly name: string; readonly stream: ReadableStream<Uint8Array> } {
  if (file === "-") return { name: "standard input", stream: Bun.stdin.stream() };
  const place = io.resolvePath(file);
  const stats = statsFor(file, place);
  if (!stats) throw new Failure("not_found", `there is no file ${file}`, USE_EXPORT);
  if (stats.isDirectory()) throw new Failure("unexpected", `${file} is a folder`, USE_EXPORT);
  // Reading a pipe or a device may never end, or never start.
  if (!stats.isFile()) {
    throw new Failure("unexpected", `${file} is a pipe or a device`, "read it with momo import - from standard input");
  }
  // The -wal file has the newest part of the database.
  if (statSync(`${place}-wal`, { throwIfNoEntry: false })?.size) {
    throw new Failure("unexpected", `${file} is in use, or was when its process ended: see ${file}-wal`, USE_EXPORT);
  }
  return { name: file, stream: Bun.file(place).stream() };
}

function statsFor(file: string, place: string) {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotRead(file, error);
  }
}

const USE_EXPORT = "make a copy with momo export, and give that";

/** Makes a database at `draft` with the rows of the source. */
async function importRows(io: Io, directory: DataDirectory, draft: string, source: Source): Promise<CopyContents> {
  const copy = draftBeside(directory.database, "-copy");
  io.atTheEnd(() => removeDatabase(copy));
  try {
    await writeCopy(copy, source);
    // This takes a minute for a million rows. The next command in this directory removes the drafts of one that was ended.
    return await io.whileBlocked(() => writeRows(draft, readRows(copy, source.name), source.name, isMemo));
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof UnusableDatabase) throw withHintFor("copy", error);
    if (path === copy || syscall === "write" || syscall === "fsync") throw cannotWrite(draft, error);
    throw cannotRead(source.name, error);
  }
}

/** Copies the bytes to a private file, so that no other process can change them between the check and the use. */
async function writeCopy(copy: string, { bytes }: Source): Promise<void> {
  const descriptor = openSync(copy, "wx", 0o600);
  try {
    for await (const chunk of bytes) {
      for (let written = 0; written < chunk.length; ) written += writeSync(descriptor, chunk, written);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the key in credentials.json, if there is one, is valid in the new database. */
async function compareCredentials(directory: DataDirectory): Promise<"same" | "other" | "none"> {
  const store = openStore(directory.database, { create: false });
  try {
    const kept = readCredentials(directory);
    if (!kept) return "none";
    return (await isInForce(store, kept)) ? "same" : "other";
  } catch {
    return "other";
  } finally {
    store.close();
  }
}
