import { countedInThousands as counted, inThousands } from "../../src/domain/counted.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import type { AuditReport } from "./audit.ts";
import { MOST_PAYMENTS } from "./facts/payment-book.ts";
import { formatResults, type Results } from "./results.ts";
import { KINDS } from "./rules.ts";
import { isAtLeast, type Severity } from "./severity.ts";
import type { Example, Finding, Tally } from "./shape.ts";
import { refusalsIn, refusedCount } from "./tally.ts";
import { clean } from "./words.ts";

/** The report as members of an answer. */
export function jsonView({ tally, findings, accepted, omitted }: AuditReport) {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  const counts = { errors: count("error"), warnings: count("warning"), notes: count("note") };
  return { ...tally, ...counts, accepted_findings: accepted, left_out: omitted, findings };
}

/** What happened, and how much was wrong, in one line. */
export function summaryOf(report: AuditReport): string {
  const { requests, accepted, payments, deliveries, chapters, ...view } = jsonView(report);
  const refused = refusedCount(report.tally);
  const why = refused > 0 ? ` (${refusalsIn(report.tally)})` : "";
  const before = view.refused_before_operations;
  const lost = view.answers_not_delivered;
  const parts = [
    `${counted(requests, "request")}: ${inThousands(accepted)} accepted, ${inThousands(refused)} refused${why}`,
    before > 0 && `${inThousands(before)} refused before the operations`,
    lost > 0 && `${counted(lost, "answer")} not delivered`,
    `${counted(payments.started, "payment")} started, ${inThousands(payments.paid)} paid, ${inThousands(payments.not_learned)} not learned${oneByOne(payments)}`,
    deliveries.sent > 0 &&
      `${counted(deliveries.sent, "webhook")} sent, ${inThousands(deliveries.not_taken)} not taken`,
    chapters > 1 && `in ${chapters} parts, with a reset or a restore between them`,
    `${counted(view.errors, "error")}, ${counted(view.warnings, "warning")}, ${counted(view.notes, "note")}${
      view.left_out > 0 ? ` (and ${inThousands(view.left_out)} more without details)` : ""
    }`,
    view.accepted_findings > 0 && `${counted(view.accepted_findings, "mistake")} accepted`,
  ];
  return parts.filter(Boolean).join("; ");
}

/** Those that are compared with each other, if there were more. */
const oneByOne = ({ started, one_by_one }: Tally["payments"]): string =>
  started > one_by_one && one_by_one >= MOST_PAYMENTS
    ? ` (the newest ${inThousands(one_by_one)} of ${inThousands(started)} are judged one by one, the others by how they ended)`
    : "";

/** The findings, each after an empty line. The same advice stands once. */
export function findingLines({ findings }: AuditReport): string[] {
  const told = new Set<string>();
  return findings.flatMap((finding) => {
    const { kind, severity, message, advice, first_at, count } = finding;
    const facts = [whereOf(finding), `first at ${first_at}`, count > 1 && `${inThousands(count)} times`];
    const isTold = told.has(advice);
    told.add(advice);
    return [
      "",
      `${severity}: ${kind}`,
      `  ${message}`,
      `  ${isTold ? "What to do: as above." : advice}`,
      `  ${facts.filter(Boolean).join("; ")}`,
      ...others(finding),
    ];
  });
}

/** The other examples. */
const others = ({ examples }: Finding): string[] => examples.slice(1).map((example) => `  also ${whereOf(example)}`);

/** Where it was found: the payment and the requests, if there are few. */
function whereOf({ checkout_request_id, reference, request_ids }: Example): string {
  const ids = request_ids.length > MOST_SAID ? [...request_ids.slice(0, MOST_SAID), "…"] : request_ids;
  const facts = [
    checkout_request_id,
    reference && `reference ${clean(reference)}`,
    ids.length > 0 && `request${ids.length === 1 ? "" : "s"} ${ids.join(", ")}`,
  ];
  return facts.filter(Boolean).join("; ");
}

/** How many requests are listed in words. */
const MOST_SAID = 10;

export const REPORT_FORMATS = ["text", "json", "junit", "github"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/**
 * The report as the text of a file.
 * @param failOn from this severity on, a finding is a failure in JUnit; others are the output of a test case that passes
 */
export function formatReport(report: AuditReport, format: ReportFormat, failOn: Severity = "error"): string {
  switch (format) {
    case "text":
      return `${[summaryOf(report), ...findingLines(report)].map(visible).join("\n")}\n`;
    case "json":
      return `${jsonText(jsonView(report), 2)}\n`;
    default:
      return formatResults(resultsOf(report, failOn), format);
  }
}

function resultsOf(report: AuditReport, failOn: Severity): Results {
  return {
    title: "momo audit",
    summary: summaryOf(report),
    figures: figuresOf(report.tally),
    rules: KINDS.map(({ kind }) => ({ id: kind, group: "momo.audit" })),
    results: report.findings.map((finding) => {
      const { kind, severity, message, advice, section, first_at, count } = finding;
      const where = whereOf(finding);
      const facts = `${section}; ${where === "" ? "no request" : where}; first at ${first_at}; ${inThousands(count)} in all`;
      return {
        rule: kind,
        // CI servers know a test case again by its name: a reference stays from run to run, and ids change.
        name: where === "" ? kind : `${kind}: ${finding.reference === null ? where : clean(finding.reference)}`,
        level: severity,
        is: isAtLeast(severity, failOn) ? "failure" : "remark",
        message,
        advice: [advice, count > 1 && `${inThousands(count)} times`, where, ...others(finding)]
          .filter(Boolean)
          .join("\n"),
        details: [message, advice, facts, ...others(finding)].join("\n"),
      };
    }),
  };
}

/** What happened, with a name for each number. */
function figuresOf({ refused, deliveries: webhooks, ...tally }: Tally): Record<string, number> {
  const refusals = refused.map(({ status, message, count }) => [`refused ${status ?? "no answer"} ${message}`, count]);
  const counts = Object.entries({ ...tally, webhooks }).flatMap(([name, value]) =>
    typeof value === "number"
      ? [[name, value]]
      : Object.entries(value).map(([part, count]) => [`${name}_${part}`, count]),
  );
  return Object.fromEntries([...refusals, ...counts]);
}
