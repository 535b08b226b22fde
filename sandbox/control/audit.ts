import { z } from "zod";
import { succeed } from "../../src/http/reply.ts";
import { jsonView, summaryOf } from "../audit/reports/json.ts";
import { formatReport, REPORT_FORMATS, type ReportFormat } from "../audit/reports/report.ts";
import { type ControlCall, ownedBy, replicaHeader } from "./context.ts";
import { parseQuery } from "./input.ts";
import type { AuditOnWire } from "./shapes/requests.ts";

export const REPORT_TYPES: Readonly<Record<Exclude<ReportFormat, "json">, string>> = {
  text: "text/plain; charset=utf-8",
  github: "text/plain; charset=utf-8",
  junit: "application/xml; charset=utf-8",
  sarif: "application/sarif+json; charset=utf-8",
};

export const auditQuery = z.object({
  format: z.enum(REPORT_FORMATS, { error: `format must be one of ${REPORT_FORMATS.join(", ")}` }).default("json"),
  over: z
    .enum(["true", "false"], { error: "over must be true or false" })
    .default("false")
    .describe("whether the run is over: then it is an error if no request was accepted"),
});

/** `GET /_momo/audit`: what clients have done, and done wrong; `?format=` as a report. */
export const showAudit: ControlCall = async (_request, { audit, version, replica }, { query }) => {
  const { format, over } = parseQuery(auditQuery, query);
  // Each of several servers has an audit of its own: another one may have accepted requests.
  const report = audit.report(over === "true" && replica === null ? {} : null);
  if (format === "json")
    return succeed(summaryOf(report), { ...ownedBy(replica), ...jsonView(report) } satisfies AuditOnWire);
  return new Response(formatReport(report, format, { version }), {
    headers: {
      "Content-Type": REPORT_TYPES[format],
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...replicaHeader(replica),
    },
  });
};

export const forgetAudit: ControlCall = async (_request, { audit }) => {
  audit.forget();
  return succeed("the findings are removed", {});
};
