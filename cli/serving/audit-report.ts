import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import type { ReportFormat } from "../../sandbox/audit/report.ts";
import { host } from "../host.ts";
import { Failure } from "../terminal/failure.ts";

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

/** @throws Failure if the file cannot be written */
export function writeReport(file: string, text: string, flag: "a" | "w" = "w"): void {
  try {
    writeFileSync(host().placeOf(file), text, { flag });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(
      "unexpected",
      `the report ${file} cannot be written (${code})`,
      "name a file in a folder of yours",
    );
  }
}
