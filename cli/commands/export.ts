import { closeSync, createReadStream, linkSync, lstatSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { isMemo } from "../../sandbox/network/script.ts";
import { counted } from "../../src/domain/counted.ts";
import {
  type CopyContents,
  copyDatabase,
  flushToDisk,
  inspectCopy,
  requireDatabase,
  withCompanions,
  writeRows,
} from "../../src/store/sqlite/sqlite.ts";
import { UnusableDatabase } from "../../src/store/store.ts";
import { cannotWrite, writing } from "../files/files.ts";
import { whyTaken } from "../files/named-files.ts";
import { locateDataDirectory } from "../files/own-directory.ts";
import { makeTemporaryDirectory } from "../files/temporary-directory.ts";
import type { Io } from "../io.ts";
import { withDatabase } from "../serving/engine.ts";
import { Command } from "../terminal/command.ts";
import { Failure } from "../terminal/failure.ts";
import { dataOption, jsonOption, readPathOrDash, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { type DatabaseFlags, databaseOptions, databaseUnlessData } from "./database-flags.ts";

interface ExportFlags extends OutputOptions, DatabaseFlags {
  readonly data?: string;
}

export function exportCommand(io: Io): Command {
  const command = new Command("export").argument(
    "<file>",
    "the new file for the copy; -: standard output",
    readPathOrDash,
  );
  withOptions(command, dataOption(), jsonOption(), ...databaseOptions());
  return command.action((file: string, flags: ExportFlags) => exportData(io, file, flags));
}

/** Writes a copy to a path that nothing else uses; `name` is what a refusal calls it. */
type Copy = (path: string, name: string) => Promise<CopyContents>;

/** Copies the shared database that the flags name, otherwise the database of the data directory. */
function copyOf(io: Io, flags: ExportFlags): Copy {
  const database = databaseUnlessData(io, flags);
  // A file as momo serve would have made it, from the rows of another engine.
  if (database)
    return (path, name) =>
      withDatabase(database, "refuse", (store) => writeRows(path, store.exportAll(), name, isMemo));
  const { database: file } = locateDataDirectory(io, flags.data);
  requireDatabase(file);
  return async (path, name) => {
    copyDatabase(file, path, name);
    return inspectCopy(path, name);
  };
}

async function exportData(io: Io, file: string, flags: ExportFlags): Promise<void> {
  io.hideFiles();
  if (file === "-") await printCopy(io, flags);
  else {
    const place = io.resolvePath(file);
    const contents = await writeCopy(io, place, flags);
    const bytes = statSync(place).size;
    if (flags.json) io.printJson({ file: place, bytes, ...contents });
    else io.tell(`wrote ${file}: ${describeContents(contents)}`);
  }
}

/** Writes the copy as a file, completely or not at all. */
async function writeCopy(io: Io, file: string, flags: ExportFlags): Promise<CopyContents> {
  // Refuse before the work. A link counts as a file, also if it leads nowhere.
  if (writing(file, ELSEWHERE, () => lstatSync(file, { throwIfNoEntry: false }))) throw alreadyExists(file);
  const taken = whyTaken(file);
  if (taken !== null) throw new Failure("usage", `${file} ${taken}`, ELSEWHERE);
  const copy = copyOf(io, flags);
  const draft = `${file}.${process.pid}.tmp`;
  makeEmpty(draft, file);
  io.atTheEnd(() => {
    for (const path of withCompanions(draft)) rmSync(path, { force: true });
  });
  const contents = await copy(draft, file).catch((error: unknown) => {
    throw aboutCopy(error, [file, draft], ELSEWHERE);
  });
  flushToDisk(draft);
  giveName(draft, file);
  flushToDisk(dirname(file)); // the name is stored there
  return contents;
}

/** Names the draft. It never replaces another file, and leaves no half-written one. */
function giveName(draft: string, file: string): void {
  try {
    linkSync(draft, file); // the draft itself is removed later
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw alreadyExists(file);
    // This file system has no links. Make an empty file first, so that the rename replaces no file of others.
    makeEmpty(file, file);
    try {
      renameSync(draft, file);
    } catch (problem) {
      rmSync(file, { force: true });
      throw cannotWrite(file, problem, ELSEWHERE);
    }
  }
}

/** @param name the name for a refusal */
function makeEmpty(file: string, name: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw alreadyExists(file);
    throw cannotWrite(name, error, ELSEWHERE);
  }
}

const ELSEWHERE = "choose another place for the copy";
const THE_COPY = "the copy";

/** The database that is copied can fail as well: then its own hint fits. */
function aboutCopy(error: unknown, names: readonly string[], elsewhere: string): unknown {
  const file = error instanceof UnusableDatabase ? error.file : null;
  return file !== null && names.includes(file) ? cannotWrite(file, error, elsewhere) : error;
}

const alreadyExists = (file: string) =>
  new Failure("unexpected", `${file} already exists`, "choose another name, or remove it");

async function printCopy(io: Io, flags: ExportFlags): Promise<void> {
  if (flags.json) throw new Failure("usage", "--json needs a FILE: with - the copy itself goes to standard output");
  if (io.stdout.isTerminal())
    throw new Failure("usage", "a terminal cannot show a database", "name a file, or use a pipe");
  const { directory, remove } = makeTemporaryDirectory();
  // If the reader ends, the process ends during the copy.
  io.atTheEnd(remove);
  await copyOf(io, flags)(directory.database, THE_COPY).catch((error: unknown) => {
    throw aboutCopy(error, [THE_COPY, directory.database], "name another place in the variable TMPDIR");
  });
  await pipeline(createReadStream(directory.database), io.stdout.stream());
}

export const describeContents = ({ merchants, transactions }: CopyContents): string =>
  `${counted(merchants, "merchant")}, ${counted(transactions, "transaction")}`;
