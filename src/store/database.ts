import { Database, SQLiteError } from "bun:sqlite";
import { chmodSync, existsSync } from "node:fs";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { migrate } from "./migrations.ts";

/** The bytes `momo`, in the header of every database of ours (PRAGMA application_id). */
const APPLICATION_ID = 0x6d6f6d6f;

/** How long a write waits for another process that is writing. */
const BUSY_TIMEOUT_MS = 5000;

/** Why a database file cannot be used; nothing has been changed in it. */
export class UnusableDatabase extends Error {
  override readonly name = "UnusableDatabase";

  constructor(
    readonly problem: "locked" | "damaged" | "foreign" | "newer" | "unwritable" | "missing",
    message: string,
  ) {
    super(message);
  }
}

export type Drizzle = ReturnType<typeof connect>;

/** An open database, migrated to this version's schema. */
export interface OpenDatabase {
  readonly client: Database;
  readonly drizzle: Drizzle;
  close(): void;
}

/**
 * Opens the database file, readable by its owner alone, and brings its schema up to date. Safe while other processes do the same.
 * @param create whether a missing file is made
 * @throws UnusableDatabase, with one line that names the file
 */
export function openDatabase(file: string, { create = true } = {}): OpenDatabase {
  if (!create && !existsSync(file)) throw new UnusableDatabase("missing", `there is no database at ${file}`);
  let client: Database | undefined;
  try {
    client = new Database(file, { create, readwrite: true, strict: true });
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    refuseForeign(client, file);
    chmodSync(file, 0o600);
    client.run("PRAGMA journal_mode = WAL");
    client.run("PRAGMA synchronous = FULL");
    client.run("PRAGMA foreign_keys = ON");
    migrate(client, (version, known) => {
      throw new UnusableDatabase(
        "newer",
        `${file} was written by a newer momo (schema ${version}; this one knows up to ${known})`,
      );
    });
  } catch (error) {
    client?.close();
    throw explain(error, file);
  }
  const opened = client;
  return { client: opened, drizzle: connect(opened), close: () => close(opened) };
}

function connect(client: Database) {
  return drizzle({ client });
}

/** Refuses a database that some other program made: it would not survive our migrations. */
function refuseForeign(client: Database, file: string): void {
  const { application_id: id } = client.query<{ application_id: number }, []>("PRAGMA application_id").get() ?? {
    application_id: 0,
  };
  if (id === APPLICATION_ID) return;
  const claim = client.transaction(() => {
    const { tables } = client.query<{ tables: number }, []>("SELECT count(*) AS tables FROM sqlite_schema").get() ?? {
      tables: 0,
    };
    const { application_id: now } = client.query<{ application_id: number }, []>("PRAGMA application_id").get() ?? {
      application_id: 0,
    };
    if (now === APPLICATION_ID) return; // another process was faster
    if (now !== 0 || tables > 0) throw new UnusableDatabase("foreign", `${file} is not a database of momo's`);
    client.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
  claim.immediate();
}

function close(client: Database): void {
  client.run("PRAGMA optimize");
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
}

/** SQLite's complaint about a file as one line in our words; anything else as it is. */
export function explain(error: unknown, file: string): unknown {
  if (error instanceof UnusableDatabase) return error;
  const code = error instanceof SQLiteError ? (error.code ?? "") : ((error as NodeJS.ErrnoException).code ?? "");
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new UnusableDatabase("locked", `${file} is locked by another program`);
  }
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new UnusableDatabase("damaged", `${file} is damaged or not a database`);
  }
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|IOERR|AUTH|FULL)|EACCES|EPERM|EROFS)/.test(code)) {
    return new UnusableDatabase("unwritable", `${file} cannot be opened for writing (${code})`);
  }
  return error;
}

/** Whether a write failed because another process held the database all the time. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code ?? "");
}
