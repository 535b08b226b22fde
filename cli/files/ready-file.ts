import { lstatSync, readFileSync, rmSync } from "node:fs";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import type { Io } from "../io.ts";
import { Failure } from "../terminal/failure.ts";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";
import { readJsonFile, writeWhole, writing } from "./files.ts";
import { isOpenAlready, whyTaken } from "./named-files.ts";

const READY_ELSEWHERE = "choose another place with --ready-file";

/** The file with the address of a server. It exists while the server runs. */
export class ReadyFile {
  readonly #name: string;
  readonly #file: string;
  #written: string | null = null;

  /**
   * It changes nothing.
   * @throws Failure `usage` for a file that is not a ready file
   */
  constructor(io: Io, option: string, file: string, own: DataDirectory | null) {
    this.#name = `${option} ${file}`;
    this.#file = io.resolvePath(file);
    this.#judge(own);
  }

  /** Removes that of an earlier run, but not that of a server that still runs: this one may be refused. */
  removeOld(): void {
    this.#judge(null);
    this.#explained(() => {
      const record = readyRecordIn(this.#file);
      const isLiving = typeof record?.data === "string" && isHeld(dataDirectoryAt(record.data).lock);
      if (!isLiving) rmSync(this.#file, { force: true });
    });
  }

  /** @throws Failure if it cannot be written, or something else is there by now */
  write(record: object): void {
    this.#judge(null);
    const text = `${JSON.stringify(record)}\n`;
    this.#explained(() => writeWhole(this.#file, text));
    this.#written = text;
  }

  /** Removes it if its content is still ours: another server may use the same file by now. */
  remove(): void {
    if (this.#written === null || !lstatSync(this.#file, { throwIfNoEntry: false })?.isFile()) return;
    if (readOrNull(() => readFileSync(this.#file, "utf8")) === this.#written) rmSync(this.#file, { force: true });
  }

  #judge(own: DataDirectory | null): void {
    const wrong = this.#explained(() => whyNotReadyFile(this.#file, own));
    if (wrong !== null) throw new Failure("usage", `${this.#name} ${wrong}, and stays as it is`, READY_ELSEWHERE);
  }

  #explained<T>(step: () => T): T {
    return writing(this.#file, READY_ELSEWHERE, step, this.#name);
  }
}

function whyNotReadyFile(file: string, own: DataDirectory | null): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const taken = whyTaken(file, own);
  if (taken !== null || !stats) return taken;
  if (!stats.isFile() || isOpenAlready(file, stats)) return "is not a file of its own";
  // As mktemp makes one.
  return stats.size === 0 || readyRecordIn(file) ? null : "is not a ready file";
}

/** What a ready file tells of its server; null if momo did not write the file. */
function readyRecordIn(file: string): { readonly data?: unknown } | null {
  const { base_url, console_url, pid, data } = Object(readOrNull(() => readJsonFile(file))) as Record<string, unknown>;
  const isRecord = typeof base_url === "string" && typeof console_url === "string" && Number.isInteger(pid);
  return isRecord ? { data } : null;
}
