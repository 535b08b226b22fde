import type { AuditReport } from "../audit.ts";
import { shown } from "../call.ts";
import { summaryOf } from "./json.ts";

/** The report for people. */
export const textReport = (report: AuditReport): string =>
  `${[summaryOf(report), ...findingLines(report)].map(printable).join("\n")}\n`;

/** The findings, each after an empty line. */
export function findingLines({ findings }: AuditReport): string[] {
  return findings.flatMap(
    ({ kind, severity, message, advice, request_ids, checkout_request_id, reference, first_at, count }) => {
      const facts = [
        ...(checkout_request_id === null ? [] : [checkout_request_id]),
        ...(reference ? [`reference ${shown(reference)}`] : []),
        ...(request_ids.length === 0
          ? []
          : [`request${request_ids.length === 1 ? "" : "s"} ${request_ids.join(", ")}`]),
        `first at ${first_at}`,
        ...(count > 1 ? [`${count} times`] : []),
      ];
      return ["", `${severity}: ${kind}`, `  ${message}`, `  ${advice}`, `  ${facts.join("; ")}`];
    },
  );
}

/** Replaces control characters, so that a value can neither control a terminal nor start a new line. */
export function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, "\u{FFFD}");
}
