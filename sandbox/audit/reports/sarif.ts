import type { AuditReport } from "../audit.ts";
import { FINDING_KINDS, type FindingKind } from "../kinds.ts";
import { summaryOf } from "./json.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const RULES = Object.keys(FINDING_KINDS) as FindingKind[];

/** SARIF 2.1.0, for services that show the results of analysers. */
export function sarifReport(report: AuditReport, version: string): object {
  const { tally, findings } = report;
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        properties: { summary: summaryOf(report), ...tally },
        tool: { driver: { name: "momo", version, rules: RULES.map(ruleOf) } },
        results: findings.map(({ kind, severity, message, count, section, ...more }) => ({
          ruleId: kind,
          ruleIndex: RULES.indexOf(kind),
          level: severity,
          message: { text: message.toWellFormed() },
          occurrenceCount: count,
          locations: [
            {
              logicalLocations: [
                { fullyQualifiedName: `request log, requests ${more.request_ids.join(", ") || "none"}` },
              ],
            },
          ],
          properties: {
            request_ids: more.request_ids,
            checkout_request_id: more.checkout_request_id,
            reference: more.reference,
            first_at: more.first_at,
          },
        })),
      },
    ],
  };
}

function ruleOf(kind: FindingKind) {
  const { label, advice, section, severity } = FINDING_KINDS[kind];
  return {
    id: kind,
    shortDescription: { text: `A client ${label}` },
    fullDescription: { text: `${advice} (${section} of the specification)` },
    help: { text: advice },
    defaultConfiguration: { level: severity },
  };
}
