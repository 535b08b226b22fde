import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname } from "node:path";
import type { ReportFormat } from "../../sandbox/audit/report.ts";
import { host } from "../host.ts";
import { Failure } from "../terminal/failure.ts";
import { userPath } from "../terminal/options.ts";
import { cannotWrite, isOpenAlready } from "./files.ts";

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

export interface ReportFile {
  /** Writes it as a whole, or not at all. */
  write(text: string): void;
}

const ELSEWHERE = "name a file in a folder of yours";

/**
 * Prepares a report before the work that it is about. The report of an earlier run is removed, so that nobody takes it for that of
 * this one. A missing folder is made.
 * @throws Failure if the file cannot be written
 */
export function prepareReport(file: string): ReportFile {
  const place = host().placeOf(file);
  return helpfully(file, () => {
    const stats = statSync(place, { throwIfNoEntry: false });
    const isOpen = stats !== undefined && isOpenAlready(place, stats);
    if (stats?.isDirectory() || (stats?.isFIFO() && !isOpen)) {
      throw new Failure("unexpected", `the report ${file} is a ${stats.isFIFO() ? "pipe" : "folder"}`, ELSEWHERE);
    }
    // A device, and what /dev/stdout leads to, has no draft. Others may have written there before.
    if (isOpen || (stats && !stats.isFile()))
      return { write: (text) => helpfully(file, () => writeFileSync(place, text, { flag: "a" })) };
    const target = stats ? realpathSync(place) : place;
    const draft = `${target}.${process.pid}.tmp`;
    mkdirSync(dirname(target), { recursive: true });
    const mode = modeOfNew(draft);
    rmSync(target, { force: true });
    return {
      write: (text) =>
        helpfully(file, () => {
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

function helpfully<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { message, hint } = cannotWrite(host().placeOf(file), error, ELSEWHERE);
    throw new Failure("unexpected", `the report ${message}`, hint);
  }
}

/** The options that name reports, by command. Only a variadic one has several files. */
const REPORT_FLAGS: Readonly<Record<string, readonly string[]>> = {
  exec: ["--audit-report", "--log-file"],
  check: ["--report", "--profile"],
  audit: ["--output"],
};

/** How reports of momo begin; an empty file was one that an older momo could not finish. */
const IS_REPORT =
  /^$|name="momo (?:audit|check)"|"not_followed"|\d requests?: \d+ accepted|stated sentences|<title>[^<]*momo|"momo check of |^\{"id":\d+,"at":"/;
const BEGINNING = 4096;

/** The reports of an earlier run go also if the command line is wrong. A file that is not momo's stays. */
export function removeStaleReports(command: string, words: readonly string[]): void {
  const flags = REPORT_FLAGS[command] ?? [];
  let isNamed = false;
  for (const word of words) {
    const flag = flags.find((each) => word === each || word.startsWith(`${each}=`));
    if (flag !== undefined && word !== flag) removeStale(word.slice(flag.length + 1));
    else if (isNamed && !word.startsWith("-")) removeStale(word);
    isNamed = word === flag || (isNamed && command === "check" && !word.startsWith("-"));
  }
}

function removeStale(file: string): void {
  try {
    const place = host().placeOf(userPath(file));
    const stats = statSync(place);
    if (!stats.isFile() || isOpenAlready(place, stats)) return;
    if (IS_REPORT.test(readFileSync(place, "utf8").slice(0, BEGINNING))) rmSync(realpathSync(place));
  } catch {
    // There is none, or it is refused later.
  }
}
