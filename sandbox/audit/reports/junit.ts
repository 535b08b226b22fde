import type { AuditReport } from "../audit.ts";
import type { Finding } from "../finding.ts";
import { FINDING_KINDS, type FindingKind, isAtLeast, type Severity } from "../kinds.ts";
import type { Tally } from "../tally.ts";
import { summaryOf } from "./json.ts";

/**
 * JUnit XML: a failed test case for each finding, and a passed one for each kind without findings.
 * @param failOn from this severity on, a finding is a failure; others are the output of a test case that passes
 */
export function junitReport(report: AuditReport, failOn: Severity = "error"): string {
  const { tally, findings } = report;
  const cases = (Object.keys(FINDING_KINDS) as FindingKind[]).flatMap((kind) => {
    const found = findings.filter((finding) => finding.kind === kind);
    return found.length === 0 ? [passed(kind)] : found.map((finding) => testCase(finding, failOn));
  });
  const failures = findings.filter(({ severity }) => isAtLeast(severity, failOn)).length;
  const counts = `tests="${cases.length}" failures="${failures}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="momo audit" ${counts}>`,
    `  <testsuite name="momo audit" ${counts} errors="0" skipped="0">`,
    "    <properties>",
    property("summary", summaryOf(report)),
    ...Object.entries(propertiesOf(tally)).map(([name, value]) => property(name, String(value))),
    "    </properties>",
    ...cases,
    "  </testsuite>",
    "</testsuites>\n",
  ].join("\n");
}

function propertiesOf({ requests, accepted, refused, refused_left_out, payments }: Tally) {
  const { started, paid, not_followed } = payments;
  const refusals = refused.map(({ status, message, count }) => [`refused ${status ?? "no answer"} ${message}`, count]);
  const figures = { requests, accepted, ...Object.fromEntries(refusals), refused_left_out };
  return { ...figures, payments_started: started, payments_paid: paid, payments_not_followed: not_followed };
}

const property = (name: string, value: string) => `      <property name="${escaped(name)}" value="${escaped(value)}"/>`;

const passed = (kind: FindingKind) => `    <testcase classname="momo.audit" name="${kind}"/>`;

function testCase(finding: Finding, failOn: Severity): string {
  const { kind, severity, message, advice, section, request_ids, checkout_request_id, count, first_at } = finding;
  const name =
    checkout_request_id !== null
      ? `${kind}: ${checkout_request_id}`
      : `${kind}${request_ids.length > 0 ? `: requests ${request_ids.join(", ")}` : ""}`;
  const details = escaped(
    `${message}\n${advice}\n${section}; requests ${request_ids.join(", ") || "none"}; first at ${first_at}; ${count} in all`,
  );
  const body = isAtLeast(severity, failOn)
    ? `<failure type="${severity}" message="${escaped(message)}">${details}</failure>`
    : `<system-out>${severity}: ${details}</system-out>`;
  return `    <testcase classname="momo.audit" name="${escaped(name)}">\n      ${body}\n    </testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML 1.0 cannot hold some characters, not even as a reference. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\u{FFFE}\u{FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
