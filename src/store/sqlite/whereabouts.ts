import { constants, type Database } from "bun:sqlite";
import { rmSync, type Stats, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { counted } from "../../domain/counted.ts";
import { readOrNull } from "../../domain/read-or-null.ts";
import { PUT_A_COPY } from "../causes.ts";
import type { Trouble } from "../vitals.ts";
import { watchContents } from "./contents.ts";
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
  [CUT]: `${PUT_A_COPY}:`,
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
    const count = readOrNull(() => firstOf(this.#client, "SELECT coalesce(sum(count), 0) FROM totals WHERE bits = 0"));
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
    const sizeOfLog = () => statSync(`${this.#file}-wal`).size;
    if (!this.#damage && readOrNull(() => this.#contents.isLogCut(sizeOfLog))) this.#damage = LOG_CUT;
    return this.#damage;
  }

  #compareContents(): void {
    if (readOrNull(this.#contents.isOverwritten)) this.#damage = OVERWRITTEN;
  }

  /** Whether a path has the file that it had. A file that SQLite makes later is learnt when it is first seen. */
  #isInPlace(path: string, now: Stats | null): boolean {
    const before = this.#opened.get(path);
    if (!before && now) this.#opened.set(path, now);
    return !before || (now?.ino === before.ino && now.dev === before.dev);
  }

  /** VACUUM by another program makes the file smaller, too, but no smaller than the database, which can still be read. */
  #isCut(size: number): boolean {
    const pages = readOrNull(() => firstOf(this.#client, "PRAGMA page_count"));
    return pages === null || size < Number(pages) * Number(firstOf(this.#client, "PRAGMA page_size"));
  }
}

/** A file that is gone or damaged must not end the server that watches it. */
const statsOf = (path: string): Stats | null => readOrNull(() => statSync(path));
