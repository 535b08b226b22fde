import { counted } from "../../src/domain/counted.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import type { AuditReport } from "./audit.ts";
import { clean } from "./call.ts";
import { FINDING_KINDS, type FindingKind, isAtLeast, type Severity } from "./kinds.ts";
import { formatResults, type Results } from "./results.ts";
import { refusalsIn, refusedCount, type Tally } from "./tally.ts";

/** The report as members of an answer. */
export function jsonView({ tally, findings, omitted }: AuditReport) {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const counts = { errors: count("error"), warnings: count("warning"), notes: count("note") };
  return { ...tally, ...counts, left_out: omitted, findings };
}

/** What happened, and how much was wrong, in one line. */
export function summaryOf(report: AuditReport): string {
  const { requests, accepted, payments, deliveries, chapters, errors, warnings, notes, left_out } = jsonView(report);
  const refused = refusedCount(report.tally);
  const why = refused > 0 ? ` (${refusalsIn(report.tally)})` : "";
  const parts = [
    `${counted(requests, "request")}: ${accepted} accepted, ${refused} refused${why}`,
    `${counted(payments.started, "payment")} started, ${payments.paid} paid, ${payments.not_followed} not followed`,
    deliveries.sent > 0 && `${counted(deliveries.sent, "webhook")} sent, ${deliveries.not_taken} not taken`,
    chapters > 1 && `${chapters} chapters (a reset or a restore begins one)`,
    `${counted(errors, "error")}, ${counted(warnings, "warning")}, ${counted(notes, "note")}${
      left_out > 0 ? ` (and ${left_out} more without details)` : ""
    }`,
  ];
  return parts.filter(Boolean).join("; ");
}

/** The findings, each after an empty line. */
export function findingLines({ findings }: AuditReport): string[] {
  return findings.flatMap(({ kind, severity, message, advice, request_ids, reference, count, ...finding }) => {
    const facts = [
      finding.checkout_request_id,
      reference && `reference ${clean(reference)}`,
      request_ids.length > 0 && `request${request_ids.length === 1 ? "" : "s"} ${request_ids.join(", ")}`,
      `first at ${finding.first_at}`,
      count > 1 && `${count} times`,
    ];
    const line = facts.filter(Boolean).join("; ");
    return ["", `${severity}: ${kind}`, `  ${message}`, `  ${advice}`, `  ${line}`];
  });
}

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
      return `${[summaryOf(report), ...findingLines(report)].map(visible).join("\n")}\n`;
    case "json":
      return `${jsonText(jsonView(report), 2)}\n`;
    default:
      return formatResults(resultsOf(report, failOn), format, version);
  }
}

function resultsOf(report: AuditReport, failOn: Severity = "error"): Results {
  return {
    title: "momo audit",
    summary: summaryOf(report),
    facts: report.tally,
    figures: figuresOf(report.tally),
    rules: (Object.keys(FINDING_KINDS) as FindingKind[]).map(ruleOf),
    results: report.findings.map(({ kind, severity, message, advice, section, count, ...more }) => {
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

/** What happened, with a name for each number. */
function figuresOf({ refused, deliveries: webhooks, ...tally }: Tally): Record<string, number> {
  const refusals = refused.map(({ status, message, count }) => [`refused ${status ?? "no answer"} ${message}`, count]);
  const others = Object.entries({ ...tally, webhooks }).flatMap(([name, value]) =>
    typeof value === "number"
      ? [[name, value]]
      : Object.entries(value).map(([part, count]) => [`${name}_${part}`, count]),
  );
  return Object.fromEntries([...refusals, ...others]);
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
