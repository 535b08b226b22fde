import type { AuditReport } from "../audit.ts";
import type { Finding } from "../finding.ts";
import type { Severity } from "../kinds.ts";

/** The report as members of an answer. */
export function jsonView({ findings, leftOut }: AuditReport) {
  return { ...countsOf(findings), left_out: leftOut, findings };
}

/** How many findings there are of each severity. */
function countsOf(findings: readonly Finding[]) {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  return { errors: count("error"), warnings: count("warning"), notes: count("note") };
}

/** The counts in words. */
export function summaryOf({ findings, leftOut }: AuditReport): string {
  if (findings.length === 0) return "nothing found";
  const { errors, warnings, notes } = countsOf(findings);
  const counts = [
    [errors, "error"],
    [warnings, "warning"],
    [notes, "note"],
  ] as const;
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}${count === 1 ? "" : "s"}`);
  return parts.join(", ") + (leftOut > 0 ? ` (and ${leftOut} more without details)` : "");
}
