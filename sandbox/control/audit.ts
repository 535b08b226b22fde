import { z } from "zod";
import { succeed } from "../../src/http/reply.ts";
import { formatReport, jsonView, REPORT_FORMATS, type ReportFormat, summaryOf } from "../audit/report.ts";
import { type Calls, call, ownedBy, replicaHeader, textReply } from "./context.ts";
import { yesOrNo } from "./input.ts";
import { type AuditOnWire, auditReport } from "./shapes/audit.ts";

const REPORT_TYPES: Readonly<Record<Exclude<ReportFormat, "json">, string>> = {
  text: "text/plain; charset=utf-8",
  github: "text/plain; charset=utf-8",
  junit: "application/xml; charset=utf-8",
};

const auditQuery = z.object({
  format: z.enum(REPORT_FORMATS).default("json"),
  over: yesOrNo
    .default("false")
    .describe(
      "whether the run is over: then what the client does not know by now, it never learns; else a payment is judged 30 s after its end",
    ),
  whole: yesOrNo
    .default("false")
    .describe("whether the run is over, and all of it came here: then it is an error that no request was accepted"),
});

export const AUDIT_CALLS: Calls = {
  "/audit": {
    GET: call(
      auditReport,
      { query: auditQuery, texts: [...new Set(Object.values(REPORT_TYPES).map((type) => type.replace(/;.*$/, "")))] },
      async ({ audit, replica }, { query: { format, over, whole } }) => {
        // Each of several servers has an audit of its own: another one may have accepted requests.
        const isOver = over === "true" || whole === "true";
        const report = audit.report(isOver && replica === null ? { isWhole: whole === "true" } : null);
        if (format === "json") {
          // The kind of each finding is that of a rule in RULES, which its own type does not say.
          return succeed(summaryOf(report), { ...ownedBy(replica), ...jsonView(report) } as AuditOnWire);
        }
        return textReply(formatReport(report, format), REPORT_TYPES[format], replicaHeader(replica));
      },
    ),
    DELETE: call({}, {}, async ({ audit }) => {
      audit.forget();
      return succeed("the findings are removed", {});
    }),
  },
};
