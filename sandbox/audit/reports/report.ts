import type { AuditReport } from "../audit.ts";
import { FINDING_KINDS, type FindingKind, isAtLeast, type Severity } from "../kinds.ts";
import type { Tally } from "../tally.ts";
import { githubReport } from "./github.ts";
import { jsonView, summaryOf } from "./json.ts";
import { junitReport } from "./junit.ts";
import type { Results } from "./results.ts";
import { sarifReport } from "./sarif.ts";
import { textReport } from "./text.ts";

export const REPORT_FORMATS = ["text", "json", "junit", "sarif", "github"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportOptions {
  /** The version of this program. */
  readonly version: string;
  /** From this severity on, a finding is a failure in JUnit; others are the output of a test case that passes. */
  readonly failOn?: Severity;
}

/** The report as the text of a file. */
export function formatReport(report: AuditReport, format: ReportFormat, { version, failOn }: ReportOptions): string {
  switch (format) {
    case "text":
      return textReport(report);
    case "json":
      return `${JSON.stringify(jsonView(report), null, 2)}\n`;
    default:
      return formatResults(resultsOf(report, failOn), format, version);
  }
}

/** The report for another program. */
export function formatResults(results: Results, format: Exclude<ReportFormat, "text" | "json">, version: string) {
  if (format === "junit") return junitReport(results);
  return format === "github" ? githubReport(results) : `${JSON.stringify(sarifReport(results, version), null, 2)}\n`;
}

function resultsOf(report: AuditReport, failOn: Severity = "error"): Results {
  return {
    title: "momo audit",
    summary: summaryOf(report),
    facts: report.tally,
    figures: figuresOf(report.tally),
    rules: (Object.keys(FINDING_KINDS) as FindingKind[]).map(ruleOf),
    found: report.findings.map(({ kind, severity, message, advice, section, count, ...more }) => {
      const { request_ids, checkout_request_id, reference, first_at } = more;
      const requests = request_ids.join(", ");
      const where = checkout_request_id ?? (requests === "" ? null : `requests ${requests}`);
      return {
        rule: kind,
        name: where === null ? kind : `${kind}: ${where}`,
        level: severity,
        is: isAtLeast(severity, failOn) ? "failure" : "remark",
        message,
        advice,
        details: `${message}\n${advice}\n${section}; requests ${requests || "none"}; first at ${first_at}; ${count} in all`,
        place: `request log, requests ${requests || "none"}`,
        count,
        properties: { request_ids, checkout_request_id, reference, first_at },
      };
    }),
  };
}

function figuresOf({ requests, accepted, refused, refused_left_out, payments }: Tally) {
  const { started, paid, not_followed } = payments;
  const refusals = refused.map(({ status, message, count }) => [`refused ${status ?? "no answer"} ${message}`, count]);
  const figures = { requests, accepted, ...Object.fromEntries(refusals), refused_left_out };
  return { ...figures, payments_started: started, payments_paid: paid, payments_not_followed: not_followed };
}

function ruleOf(kind: FindingKind) {
  const { label, advice, section, severity } = FINDING_KINDS[kind];
  return {
    id: kind,
    group: "momo.audit",
    short: label.charAt(0).toUpperCase() + label.slice(1),
    full: `${advice} (${section} of the specification)`,
    help: advice,
    level: severity,
  };
}
