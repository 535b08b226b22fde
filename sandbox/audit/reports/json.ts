import type { AuditReport } from "../audit.ts";
import type { Severity } from "../kinds.ts";
import { refusalsIn, refusedCount } from "../tally.ts";

/** The report as members of an answer. */
export function jsonView({ tally, findings, leftOut }: AuditReport) {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const counts = { errors: count("error"), warnings: count("warning"), notes: count("note") };
  return { ...tally, ...counts, left_out: leftOut, findings };
}

/** What happened, and how much was wrong, in one line. */
export function summaryOf(report: AuditReport): string {
  const { requests, accepted, payments, errors, warnings, notes, left_out } = jsonView(report);
  const refused = refusedCount(report.tally);
  const why = refused > 0 ? ` (${refusalsIn(report.tally)})` : "";
  const parts = [
    `${report.isCut ? "since the last reset, " : ""}${counted(requests, "request")}: ${accepted} accepted, ${refused} refused${why}`,
    `${counted(payments.started, "payment")} started, ${payments.paid} paid, ${payments.not_followed} not followed`,
    `${counted(errors, "error")}, ${counted(warnings, "warning")}, ${counted(notes, "note")}${
      left_out > 0 ? ` (and ${left_out} more without details)` : ""
    }`,
  ];
  return parts.join("; ");
}

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;
