import { lstatSync, readFileSync, rmSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import { host } from "../host.ts";
import { Failure } from "../terminal/failure.ts";
import { print, printCommand, printFields, printText, styled } from "../terminal/output.ts";
import { version } from "../version.ts";
import { type DataDirectory, dataDirectoryAt, ownCommand } from "./data-directory.ts";
import { readJsonFile, writeWhole, writing } from "./files.ts";
import { isOpenAlready, whyTaken } from "./named-files.ts";
import type { RunningSandbox } from "./run-sandbox.ts";

/** What `serve --json` and the ready file contain. */
export type ReadyRecord = ReturnType<typeof readyRecord>;

export function readyRecord(
  { id, baseUrl, controlUrl, credentials, paymentAccountId }: RunningSandbox,
  directory: DataDirectory,
  newToken: string | null,
  seed: string | null,
) {
  return {
    base_url: baseUrl,
    control_url: controlUrl,
    console_url: `${controlUrl}/`,
    id,
    pid: process.pid,
    data: directory.path,
    payment_account_id: paymentAccountId,
    ...(seed !== null && { seed }),
    // Null if another server on the database made the key: only that server knows the secret.
    api_key: credentials?.api_key ?? null,
    api_secret: credentials?.api_secret ?? null,
    // Only a token that momo made: one that was given stays where it is.
    ...(newToken !== null && { control_token: newToken }),
  };
}

/** The lines that a person needs for the first payment. They are printed when the server is ready. */
export function announce(record: ReadyRecord, host: string, readyMs: number): void {
  const fields = [
    ["console", record.console_url],
    ["API", record.base_url],
    ...othersUse(host, record.base_url).map((address) => ["others use", address] as const),
    ["API key", record.api_key ?? KEY_ELSEWHERE],
    ["API secret", record.api_secret],
    ["payment account", record.payment_account_id],
    ["data", record.data],
    ["seed", record.seed],
    ["control token", record.control_token],
  ] as const;
  printText(styled("bold", `momo ${version}`), `, a mobile-money sandbox, ready in ${Math.round(readyMs)} ms`);
  print();
  printFields(
    fields.filter(([, value]) => value != null),
    "  ",
  );
  print();
  printText("Try, in another terminal:");
  for (const [does, command] of [
    ["the customer pays", tryLine(record.data, "pay", "0712345678", "100", "--wait")],
    ["the customer cancels", tryLine(record.data, "pay", "254700000032", "100", "--wait")],
    ["be the customer: answer momo pay 254700000100 100", tryLine(record.data, "phone")],
  ] as const) {
    print();
    printText("  ", styled("dim", `# ${does}`));
    printCommand(command);
  }
  print();
  print(styled("green", "Ready."), " Ctrl+C stops.");
}

/** Shown by a server that has not made the first key of its database. */
const KEY_ELSEWHERE =
  "another server has made it, and only that one knows its secret; give it here with MOMO_API_KEY and MOMO_API_SECRET";

/** This machine's addresses for other machines, if the server listens on all of them. */
function othersUse(host: string, baseUrl: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  const addresses = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? []);
  return addresses
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => {
      const url = new URL(baseUrl);
      url.hostname = address;
      return url.href.replace(/\/$/, "");
    });
}

/** The shortest command line that reaches this server from any folder. */
function tryLine(data: string, ...words: string[]): string {
  const { program, flags } = ownCommand(data);
  return [program, ...words, flags].join(" ").trimEnd();
}

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
  constructor(option: string, file: string, own: DataDirectory | null) {
    this.#name = `${option} ${file}`;
    this.#file = host().resolvePath(file);
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
