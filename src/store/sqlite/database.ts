import { Database, SQLiteError } from "bun:sqlite";
import { chmodSync, existsSync, linkSync, lstatSync, rmSync } from "node:fs";
import { impossible } from "../../domain/assert.ts";
import { readOrNull } from "../../domain/read-or-null.ts";
import { UnusableDatabase } from "../store.ts";
import { writeDraft } from "./draft.ts";
import { explain } from "./failures.ts";
import { APPLICATION_ID, KNOWN_SCHEMA, LAST_UNRELEASED, migrate } from "./migrations.ts";

/** How long to wait for another process that writes, or that recovers the database. It blocks this whole process. */
export const BUSY_TIMEOUT_MS = 5000;

export interface OpenOptions {
  /** Whether a missing file is created; by default it is. */
  readonly create?: boolean;
  /** How long a write waits once the database is open; by default {@link BUSY_TIMEOUT_MS}. */
  readonly busyTimeoutMs?: number;
  /** For a server: refuses a database that another program writes to all the time. */
  readonly mustWrite?: boolean;
  /** Whether it is removed when its process ends: then it need not survive a loss of power, and no write waits for the disk. */
  readonly isTemporary?: boolean;
}

/** An open database, migrated to this version's schema. */
export interface OpenDatabase {
  readonly client: Database;
  close(): void;
}

/**
 * Opens the database file, readable by its owner alone, and brings its schema up to date. Safe while other processes do the same.
 * @throws UnusableDatabase, with one line that names the file
 */
export function openDatabase(
  file: string,
  { create = true, busyTimeoutMs = BUSY_TIMEOUT_MS, mustWrite = false, isTemporary = false }: OpenOptions = {},
): OpenDatabase {
  if (!create) requireDatabase(file);
  // Its folder is its process's alone, and nobody opens what a killed process has left.
  else if (!isTemporary) placeEmptyDatabase(file);
  let client: Database | undefined;
  try {
    client = new Database(file, { create, readwrite: true, strict: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const isNew = refuseOthers(client, file) === 0;
    chmodSync(file, 0o600);
    client.run(`PRAGMA synchronous = ${isTemporary ? "OFF" : "FULL"}`);
    // Before the log, which a killed process would leave: the file itself says whose it is.
    if (isNew) client.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    client.run("PRAGMA journal_mode = WAL");
    client.run("PRAGMA foreign_keys = ON");
    // The undo journal of a statement with triggers. In a file it would cost more than the statement.
    client.run("PRAGMA temp_store = MEMORY");
    client.run("PRAGMA cache_size = -8000");
    migrate(client, refuseOthers.bind(null, client, file));
    if (mustWrite) client.run("BEGIN IMMEDIATE; ROLLBACK");
    client.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  } catch (error) {
    client?.close();
    throw explain(error, file);
  }
  const opened = client;
  return { client: opened, close: () => close(opened) };
}

/**
 * Creates the file if it is missing: complete, or not at all. Otherwise SQLite creates it, and the migrations fill it: where a file
 * cannot have two names, or where the log of a removed database is left, which SQLite removes.
 */
function placeEmptyDatabase(file: string): void {
  requirePlainFiles(file);
  if (existsSync(file) || existsSync(`${file}-wal`)) return;
  let draft: string | undefined;
  try {
    draft = writeDraft(file, newDatabase());
    linkSync(draft, file);
  } catch {
    // Another process was first, or SQLite says what is wrong.
  } finally {
    if (draft !== undefined) rmSync(draft, { force: true });
  }
}

function newDatabase(): Uint8Array {
  using memory = new Database(":memory:");
  migrate(memory, () => {});
  const file = new Uint8Array(memory.serialize());
  // Both versions of the file format: 2 is a database with a write-ahead log.
  file.set([2, 2], 18);
  return file;
}

/** A second connection, only for reading, to a file that is open already and stays open. */
export function openForReading(file: string): OpenDatabase {
  const client = new Database(file, { readonly: true, strict: true });
  client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return { client, close: () => client.close(true) };
}

/**
 * A link would send writes, and the private file mode, to another file; SQLite itself does not follow links for the files beside
 * a database. A read from a pipe would wait forever.
 */
export function requirePlainFile(file: string): void {
  const stats = readOrNull(() => lstatSync(file)); // opening the file reports an error
  if (stats?.isSymbolicLink()) throw new UnusableDatabase("linked", `${file} is a link, and is not followed`);
  if (stats && !stats.isFile()) throw new UnusableDatabase("foreign", `${file} is not a file`);
}

/** The same for the files that SQLite keeps beside it. */
function requirePlainFiles(file: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) requirePlainFile(file + end);
}

/** @throws UnusableDatabase if the file is missing, or is not a file */
export function requireDatabase(file: string): void {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false }))
      throw new UnusableDatabase("missing", `there is no database at ${file}`);
  } catch (error) {
    throw explain(error, file);
  }
  requirePlainFiles(file);
}

const HEADER = `SELECT application_id AS application, user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_application_id, pragma_user_version`;

interface Header {
  readonly application: number;
  readonly version: number;
  readonly tables: number;
}

/**
 * Refuses a database of another program, of a newer momo, or from before the first release. It only reads.
 * @returns its schema; 0 if the file is empty
 */
export function refuseOthers(client: Database, file: string): number {
  // In one statement, because another momo may be creating the tables at this moment.
  const { application, tables, version } =
    client.query<Header, []>(HEADER).get() ?? impossible("a database has a header");
  if (tables === 0 && (application === 0 || application === APPLICATION_ID)) return 0; // a new file
  if (application !== APPLICATION_ID) throw new UnusableDatabase("foreign", `${file} is not a database of momo's`);
  if (version > KNOWN_SCHEMA) {
    throw new UnusableDatabase(
      "newer",
      `${file} was written by a newer momo (schema ${version}; this one knows up to ${KNOWN_SCHEMA})`,
    );
  }
  if (version <= LAST_UNRELEASED) {
    throw new UnusableDatabase(
      "older",
      `${file} was written by a momo from before the first release (schema ${version}), and is not read any more`,
    );
  }
  return version;
}

/**
 * Reads every page and every index.
 * @returns the schema; 0 if the file is empty
 * @throws UnusableDatabase as {@link refuseOthers} does, and `damaged`
 */
export function requireSound(client: Database, file: string): number {
  const schema = refuseOthers(client, file);
  const damage = firstOf(client, "PRAGMA integrity_check(1)");
  if (damage !== "ok") throw new UnusableDatabase("damaged", `${file} is damaged: ${damage}`);
  return schema;
}

/** The first value of the first row; undefined if there is no row. */
export function firstOf(client: Database, sql: string): unknown {
  return client.query(sql).values()[0]?.[0];
}

/** How long a close waits for another process. If its checkpoint fails, the next start makes it. */
const CLOSE_TIMEOUT_MS = 200;

function close(client: Database): void {
  try {
    client.run(`PRAGMA busy_timeout = ${CLOSE_TIMEOUT_MS}`);
    client.run("PRAGMA optimize");
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // A full disk, or the lock of another process, loses nothing: the log has what the file does not have yet.
    if (!(error instanceof SQLiteError)) throw error;
  } finally {
    client.close(true); // prepared statements too, or the file would stay open
  }
}
