import { extname } from "node:path";
import type { ReportFormat } from "../../sandbox/audit/report.ts";
import { endOf, formatResults } from "../../sandbox/audit/results.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import type { NamedFile } from "../files/named-files.ts";
import type { Io } from "../io.ts";
import { EXIT, Failure, toFailure } from "../terminal/failure.ts";
import { failureLines, shownFailure } from "../terminal/output.ts";
import { Misuse } from "../terminal/usage.ts";

/** The forms of the reports that options name. */

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  ".xml": "junit",
  ".json": "json",
  ".txt": "text",
};

/**
 * The form of a report, from its file's extension.
 * @throws Failure `usage` for another extension
 */
export function formatOfFile(file: string, flag = "--audit-report"): ReportFormat {
  const format = usualFormat(file);
  if (format) return format;
  const known = "JUnit in .xml, .json or .txt";
  throw new Failure("usage", `${flag} ${file} does not say its form`, `give the name an extension: ${known}`);
}

export const usualFormat = (file: string): ReportFormat | undefined => FORMATS[extname(file).toLowerCase()];

/** A file in which a run that cannot start says why, so that nobody takes an earlier report for one of this run. */
export interface Report {
  readonly file: NamedFile;
  readonly ofFailure: (failure: Failure) => string;
}

/**
 * Runs a command whose line was parsed, and whose files were judged.
 * @throws what the work throws; a line that is refused all the same changes no report
 */
export async function withReports(reports: readonly Report[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const failure = toFailure(error);
    const isRefusedLine = error instanceof Misuse || failure.code === "usage";
    for (const { file, ofFailure } of isRefusedLine ? [] : reports) {
      // Its own failure is less than that of the run.
      if (!file.isWritten) readOrNull(() => file.write(ofFailure(failure)));
    }
    throw error;
  }
}

/** Writes a report at the end of a command. If that fails, the exit code of the command stays. */
export function writeAtTheEnd(io: Io, file: NamedFile, text: string, json = false): void {
  try {
    file.write(text);
  } catch (error) {
    io.tellFailure(toFailure(error), json);
    io.exitCode ??= EXIT.unexpected;
  }
}

/** @param title such as `momo audit` */
export function failedReport(title: string, format: ReportFormat, failure: Failure): string {
  const error = shownFailure(failure);
  const text = `${failureLines(error).map(visible).join("\n")}\n`;
  switch (format) {
    case "text":
      return text;
    case "json":
      return `${jsonText({ error }, 2)}\n`;
    default: {
      const end = endOf(title, error.message, error.hint ?? "");
      return formatResults({ title, summary: error.message, figures: {}, ...end }, format);
    }
  }
}
