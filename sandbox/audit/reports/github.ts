import type { AuditReport } from "../audit.ts";
import type { Severity } from "../kinds.ts";
import { summaryOf } from "./json.ts";

const COMMANDS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", note: "notice" };

/** Workflow commands of GitHub Actions: what happened, and each finding, becomes an annotation. */
export function githubReport(report: AuditReport): string {
  const lines = report.findings.map(({ kind, severity, message, advice }) => {
    const title = property(`momo audit: ${kind}`);
    return `::${COMMANDS[severity]} title=${title}::${data(`${message}\n${advice}`)}\n`;
  });
  return [`::notice title=momo audit::${data(summaryOf(report))}\n`, ...lines].join("");
}

/** Characters that end a message are escaped. */
const data = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
