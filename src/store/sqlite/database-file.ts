import { constants, type Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { Refusal } from "../../domain/error.ts";
import { readOrNull } from "../../domain/read-or-null.ts";

/** What would be stored now would be lost. */
export class DatabaseFileMissing extends Refusal {}

/** Notices that the file of an open database was removed, moved or replaced. SQLite goes on with the file that it has open. */
export class DatabaseFileWatch {
  readonly #file: string;
  /** Of the open file; null after the close, and for a database that is not in a file. */
  #descriptor: number | null;
  #missing: DatabaseFileMissing | null = null;

  constructor(file: string) {
    this.#file = file;
    this.#descriptor = readOrNull(() => openSync(file, "r"));
  }

  /** Looks for the file: each second, not for each payment. */
  look(): DatabaseFileMissing | null {
    const own = this.#descriptor === null ? null : fstatSync(this.#descriptor);
    const now = readOrNull(() => statSync(this.#file));
    const isInPlace = own === null || (now?.ino === own.ino && now.dev === own.dev);
    const reason = now ? "another file is in the place of the database" : "the file of the database is gone";
    this.#missing = isInPlace ? null : new DatabaseFileMissing("unavailable", reason);
    return this.#missing;
  }

  /** By what the last look has found. */
  assertInPlace(): void {
    if (this.#missing) throw this.#missing;
  }

  /** What became of the payments, for the last line of a server; null if they are where they were. */
  describeLoss(): string | null {
    const missing = this.look();
    if (missing === null || this.#descriptor === null) return null;
    const isRemoved = fstatSync(this.#descriptor).nlink === 0;
    return `${missing.message}: its payments are ${isRemoved ? "lost" : "kept in the file that was moved"}`;
  }

  /** Call it instead of the close. SQLite would remove its log by the path, where another database can be by now: it empties it. */
  closing(client: Database, close: () => void): void {
    if (this.look()) {
      client.run("PRAGMA journal_size_limit = 0");
      client.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
    }
    close();
    // Not before: it releases the locks of SQLite on the file.
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
