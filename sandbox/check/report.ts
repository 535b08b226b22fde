import { jsonText, visible } from "../../src/domain/visible.ts";
import type { ReportFormat } from "../audit/report.ts";
import { formatResults, type Results } from "../audit/results.ts";
import { htmlReport } from "./page.ts";
import {
  answerLine,
  bySection,
  type Checked,
  type CheckReport,
  isLikeMomo,
  SECTIONS,
  summaryOf,
  type Verdict,
} from "./result.ts";

export type CheckFormat = ReportFormat | "html";

/** The report as the text of a file. */
export function formatCheck(report: CheckReport, format: CheckFormat, version: string): string {
  switch (format) {
    case "text":
      return `${textLines(report).map(visible).join("\n")}\n`;
    case "json":
      return `${jsonText({ summary: summaryOf(report), ...report }, 2)}\n`;
    case "html":
      return htmlReport(report, version);
    default:
      return formatResults(resultsOf(report), format, version);
  }
}

const MARKS: Readonly<Record<Verdict, string>> = { holds: "✓", fails: "✗", recorded: "·", skipped: "-" };

/** A tree of sections, with each sentence. */
function textLines(report: CheckReport): string[] {
  const tree = bySection(report).flatMap(([section, checked]) => {
    const skipped = Object.groupBy(
      checked.filter(({ verdict }) => verdict === "skipped"),
      ({ seen }) => seen,
    );
    return [
      ...["", `${section} ${SECTIONS[section]}`],
      ...checked.filter(({ verdict }) => verdict !== "skipped").flatMap(linesOf),
      // A reason that many sentences share stands once.
      ...Object.entries(skipped).flatMap(([why, ofWhy = []]) =>
        ofWhy.length < 3 ? ofWhy.flatMap(linesOf) : [`  - ${ofWhy.length} sentences: ${why}`],
      ),
    ];
  });
  const notes = [...report.notes, ...(report.stopped === null ? [] : [`stopped early: ${report.stopped}`])];
  return [summaryOf(report), ...notes.map((note) => `! ${note}`), ...tree];
}

const linesOf = (one: Checked): string[] => [
  `  ${MARKS[one.verdict]} ${one.sentence}${one.seen === "" ? "" : `: ${one.seen}`}${isLikeMomo(one) ? "" : ` (momo: ${one.momo})`}`,
  ...(one.verdict === "fails" && one.evidence
    ? [`      ${one.evidence.curl}`, `      ${answerLine(one.evidence)}`]
    : []),
];

function resultsOf(report: CheckReport): Results {
  const { checked, profile, ...facts } = report;
  return {
    title: "momo check",
    summary: summaryOf(report),
    facts: { ...facts, profile },
    figures: {
      ...{ target: report.target, requests: report.requests, profile: JSON.stringify(profile) },
      notes: [...report.notes, ...(report.stopped === null ? [] : [`stopped early: ${report.stopped}`])].join("; "),
    },
    rules: checked.map(({ id, section, sentence, verdict }) => ({
      id,
      group: `momo.check ${section}`,
      short: sentence,
      full: `${sentence} (${section} of the specification)`,
      help: `See ${section} of the specification.`,
      level: verdict === "fails" ? "error" : "note",
    })),
    found: checked
      .filter(({ verdict }) => verdict !== "holds")
      .map(({ id, section, sentence, verdict, seen, momo, evidence }) => ({
        rule: id,
        name: id,
        level: verdict === "fails" ? "error" : "note",
        is: verdict === "fails" ? "failure" : verdict === "skipped" ? "skipped" : "remark",
        message: `${sentence}: ${seen}`,
        advice: momo === null ? `${section} of the specification` : `momo: ${momo}`,
        details: [`${section} ${sentence}: ${seen}`, ...(evidence ? [evidence.curl, answerLine(evidence)] : [])].join(
          "\n",
        ),
        place: report.target,
        count: 1,
        properties: { section, momo, evidence },
      })),
  };
}
