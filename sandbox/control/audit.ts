import { invalid } from "../../src/domain/error.ts";
import { succeed } from "../../src/http/reply.ts";
import { readQuery } from "../../src/http/request.ts";
import { jsonView, summaryOf } from "../audit/reports/json.ts";
import { formatReport, REPORT_FORMATS, type ReportFormat } from "../audit/reports/report.ts";
import type { ControlCall } from "./context.ts";

const CONTENT_TYPES: Readonly<Record<Exclude<ReportFormat, "json">, string>> = {
  text: "text/plain; charset=utf-8",
  github: "text/plain; charset=utf-8",
  junit: "application/xml; charset=utf-8",
  sarif: "application/sarif+json; charset=utf-8",
};

/** `GET /_momo/audit`: what clients have done wrong; `?format=` as a report. */
export const showAudit: ControlCall = async (_request, { audit, version }, { query }) => {
  const { format = "json" } = readQuery(query, ["format"]);
  const known = REPORT_FORMATS.find((name) => name === format);
  if (!known) throw invalid(`format must be one of ${REPORT_FORMATS.join(", ")}`);
  const report = audit.report();
  if (known === "json") return succeed(summaryOf(report), jsonView(report));
  return new Response(formatReport(report, known, { version }), {
    headers: { "Content-Type": CONTENT_TYPES[known], "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
};

/** `DELETE /_momo/audit`: forgets what was found, and the payments that it watched. */
export const forgetAudit: ControlCall = async (_request, { audit }) => {
  audit.forget();
  return succeed("the audit begins anew", {});
};
