import type { AuditReport } from "../audit.ts";
import { shown } from "../call.ts";
import { summaryOf } from "./json.ts";

/** For people. */
export function textReport(report: AuditReport): string {
  const parts = report.findings.map(
    ({ kind, severity, message, advice, section, request_ids, checkout_request_id, reference, first_at, count }) => {
      const facts = [
        ...(checkout_request_id === null ? [] : [checkout_request_id]),
        ...(reference ? [`reference ${shown(reference)}`] : []),
        `request${request_ids.length === 1 ? "" : "s"} ${request_ids.join(", ")}`,
        `first at ${first_at}`,
        ...(count > 1 ? [`${count} times`] : []),
      ];
      return `${severity}: ${kind} (${section})\n  ${message}\n  ${advice}\n  ${facts.join("; ")}\n`;
    },
  );
  return printable([...parts, summaryOf(report)].join("\n")).concat("\n");
}

/** Removes control characters of a terminal, except line ends. */
function printable(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}/gu, "\u{FFFD}");
}
