import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname } from "node:path";
import type { ReportFormat } from "../../sandbox/audit/report.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { isHeld } from "../../src/store/sqlite/sqlite.ts";
import { serveVariable } from "../environment.ts";
import { host } from "../host.ts";
import { Failure } from "../terminal/failure.ts";
import { userPath } from "../terminal/options.ts";
import { misuse } from "../terminal/usage.ts";
import { dataDirectoryAt } from "./data-directory.ts";
import { isOpenAlready, readJsonFile, writePrivateFile, writing } from "./files.ts";

/** The files that a command line names for momo to write: reports, logs and ready files. Momo's own of an earlier run is removed first. */

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  ".xml": "junit",
  ".sarif": "sarif",
  ".json": "json",
  ".txt": "text",
};

/**
 * The form of a report, from its file's extension.
 * @throws Failure `usage` for another extension
 */
export function formatOfFile(file: string, flag = "--audit-report", more = ""): ReportFormat {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format) return format;
  const known = `${more}JUnit in .xml, SARIF in .sarif, .json or .txt`;
  throw new Failure("usage", `${flag} ${file} does not say its form`, `give the name an extension: ${known}`);
}

/** @throws CommanderError if one file is named for two options: one would replace what the other has written */
export function requireTwoFiles(option: string, files: readonly string[], other: string, file?: string): void {
  const place = file && host().resolvePath(file);
  if (files.some((each) => host().resolvePath(each) === place))
    throw misuse(`${option} and ${other} must be two files; both are ${file}`);
}

export interface ReportFile {
  /** Writes it as a whole, or not at all. */
  write(text: string): void;
}

const REPORT_ELSEWHERE = "name a file in a folder of yours";
const READY_ELSEWHERE = "choose another place with --ready-file";

/**
 * Prepares a report before the work that it is about. A missing folder is made.
 * @throws Failure if the file cannot be written
 */
export function prepareReport(file: string): ReportFile {
  const place = host().resolvePath(file);
  const explained = <T>(step: () => T): T => writing(place, REPORT_ELSEWHERE, step, `the report ${place}`);
  return explained(() => {
    const stats = statSync(place, { throwIfNoEntry: false });
    const isOpen = stats !== undefined && isOpenAlready(place, stats);
    if (stats?.isDirectory() || (stats?.isFIFO() && !isOpen)) {
      const what = stats.isFIFO() ? "pipe" : "folder";
      throw new Failure("unexpected", `the report ${file} is a ${what}`, REPORT_ELSEWHERE);
    }
    // A device, and what /dev/stdout leads to, has no draft. Others may have written there before.
    if (isOpen || (stats && !stats.isFile()))
      return { write: (text) => explained(() => writeFileSync(place, text, { flag: "a" })) };
    const target = stats ? realpathSync(place) : place;
    const draft = `${target}.${process.pid}.tmp`;
    mkdirSync(dirname(target), { recursive: true });
    const mode = modeOfNew(draft);
    if (stats && isReport(target)) rmSync(target);
    return {
      write: (text) =>
        explained(() => {
          try {
            writeFileSync(draft, text, { flag: "wx" });
            if (statSync(draft).mode !== mode) chmodSync(draft, mode);
            renameSync(draft, target);
          } finally {
            rmSync(draft, { force: true });
          }
        }),
    };
  });
}

/** The mode of a new file here, which is also proof that one can be written. Later momo makes only private files. */
function modeOfNew(draft: string): number {
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, "momo", { flag: "wx" });
    return statSync(draft).mode;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The file with the address of a server. It exists while the server runs.
 * @throws Failure that names the flag
 */
export function prepareReadyFile(path: string) {
  const file = host().resolvePath(path);
  let written: string | null = null;
  writing(file, READY_ELSEWHERE, () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    const refuse = (why: string) => new Failure("unexpected", `${file} ${why}`, READY_ELSEWHERE);
    if (stats && (!stats.isFile() || isOpenAlready(file, stats))) throw refuse("is not a file of its own");
    const record = readyRecordIn(file);
    if (record === null && stats && stats.size > 0) throw refuse("is not a ready file, and stays as it is");
    if (!record || !isOfLivingServer(record)) rmSync(file, { force: true });
  });
  return {
    /** @throws Failure that names the flag */
    write(record: object): void {
      written = `${JSON.stringify(record)}\n`;
      writePrivateFile(file, written, READY_ELSEWHERE);
    },
    /** Removes it if its content is still ours: another server may use the same file by now. */
    remove(): void {
      if (written !== null && readOrNull(() => readFileSync(file, "utf8")) === written) rmSync(file, { force: true });
    },
  };
}

/** What a ready file says of its server; null if momo did not write the file. */
function readyRecordIn(file: string): { readonly data?: unknown } | null {
  const { base_url, console_url, pid, data } = Object(readOrNull(() => readJsonFile(file))) as Record<string, unknown>;
  const isRecord = typeof base_url === "string" && typeof console_url === "string" && Number.isInteger(pid);
  return isRecord ? { data } : null;
}

/** Whether another server wrote it, and serves: then it stays until this one is ready, because this one may be refused. */
const isOfLivingServer = ({ data }: { readonly data?: unknown }): boolean =>
  typeof data === "string" && isHeld(dataDirectoryAt(data).lock);

/** The options that name such files, by command. Only a variadic one has several files. */
const FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["serve", ["--ready-file"]],
  ["exec", ["--audit-report", "--log-file"]],
  ["check", ["--report", "--profile"]],
  ["audit", ["--output"]],
]);

/** How reports of momo begin; an empty file was one that an older momo could not finish. */
const IS_REPORT =
  /^$|name="momo (?:audit|check)"|"not_followed"|\d requests?: \d+ accepted|stated sentences|<title>[^<]*momo|"momo check of |^\{"id":\d+,"at":"/;
const BEGINNING = 4096;

/** Whether momo wrote the file. Another one stays until a report replaces it as a whole. */
const isReport = (file: string): boolean =>
  IS_REPORT.test(readOrNull(() => readFileSync(file, "utf8").slice(0, BEGINNING)) ?? "not read");

/** Removes momo's files of an earlier run, even if the command line is wrong. A file that is not momo's stays. */
export function removeStaleFiles(command: string, words: readonly string[]): void {
  const flags = FLAGS.get(command) ?? [];
  const files = command === "serve" ? [serveVariable("MOMO_SERVE_READY_FILE") ?? []].flat() : [];
  let isNamed = false;
  for (const word of words) {
    const flag = flags.find((each) => word === each || word.startsWith(`${each}=`));
    if (flag !== undefined && word !== flag) files.push(word.slice(flag.length + 1));
    else if (isNamed && !word.startsWith("-")) files.push(word);
    isNamed = word === flag || (isNamed && command === "check" && !word.startsWith("-"));
  }
  // It is refused later, or there is none.
  for (const file of files.slice(command === "serve" ? -1 : 0)) {
    readOrNull(() => (command === "serve" ? prepareReadyFile(userPath(file)) : removeStaleReport(file)));
  }
}

function removeStaleReport(file: string): void {
  const place = host().resolvePath(userPath(file));
  const stats = statSync(place);
  if (stats.isFile() && !isOpenAlready(place, stats) && isReport(place)) rmSync(realpathSync(place));
}
