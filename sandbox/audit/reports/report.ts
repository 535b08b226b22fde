import type { AuditReport } from "../audit.ts";
import type { Severity } from "../kinds.ts";
import { githubReport } from "./github.ts";
import { jsonView } from "./json.ts";
import { junitReport } from "./junit.ts";
import { sarifReport } from "./sarif.ts";
import { textReport } from "./text.ts";

export const REPORT_FORMATS = ["text", "json", "junit", "sarif", "github"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportOptions {
  /** The version of this program. */
  readonly version: string;
  /** From this severity on, a finding is a failure in JUnit. */
  readonly failOn?: Severity;
}

/** The report as the text of a file. */
export function formatReport(report: AuditReport, format: ReportFormat, { version, failOn }: ReportOptions): string {
  switch (format) {
    case "text":
      return textReport(report);
    case "json":
      return `${JSON.stringify(jsonView(report), null, 2)}\n`;
    case "junit":
      return junitReport(report, failOn);
    case "sarif":
      return `${JSON.stringify(sarifReport(report, version), null, 2)}\n`;
    case "github":
      return githubReport(report);
  }
}
