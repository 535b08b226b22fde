import { jsonText, visible } from "../../src/domain/visible.ts";
import type { ReportFormat } from "../audit/report.ts";
import { endOf, formatResults, type Results } from "../audit/results.ts";
import { htmlReport } from "./page.ts";
import {
  allNotes,
  answerLine,
  byCause,
  bySection,
  type Checked,
  type CheckReport,
  evidenceOf,
  isLikeMomo,
  notImitatedIn,
  SECTIONS,
  summaryOf,
  type Verdict,
} from "./result.ts";

export type CheckFormat = ReportFormat | "html";

/**
 * The report as the text of a file.
 * @param end why the check ended early; other programs take it for an error
 */
export function formatCheck(
  report: CheckReport,
  format: CheckFormat,
  version: string,
  end: { readonly message: string } | null = null,
): string {
  switch (format) {
    case "text":
      return `${textLines(report).map(visible).join("\n")}\n`;
    case "json":
      return `${jsonText({ summary: summaryOf(report), ...report }, 2)}\n`;
    case "html":
      return htmlReport(report, version);
    default: {
      const results = resultsOf(report, format === "github" ? annotated(report) : undefined);
      return formatResults(end ? withEnd(results, end.message) : results, format);
    }
  }
}

function withEnd(report: Results, message: string): Results {
  const { rules, results } = endOf(report.title, message, "The sentences that are skipped were not checked.");
  return { ...report, rules: [...report.rules, ...rules], results: [...report.results, ...results] };
}

/** The sentences with an annotation: of those that fail for one cause, the first counts the others. */
const annotated = ({ checked }: CheckReport): Checked[] =>
  byCause(checked).flatMap(([one, ...more]) =>
    one ? [{ ...one, sentence: more.length === 0 ? one.sentence : `${one.sentence}, and ${more.length} more` }] : [],
  );

const MARKS: Readonly<Record<Verdict, string>> = { holds: "✓", fails: "✗", recorded: "·", skipped: "-" };

/** A tree of sections, with each sentence. */
function textLines(report: CheckReport): string[] {
  const tree = bySection(report).flatMap(([section, checked]) => {
    const groups = byCause(checked);
    const isSkipped = ([one]: Checked[]) => one?.verdict === "skipped";
    const others = groups.filter((group) => !isSkipped(group));
    // What one or two sentences lack stands beside each of them.
    const reasons = groups
      .filter(isSkipped)
      .flatMap((group) => (group.length < 3 ? group.map((one) => [one]) : [group]));
    return ["", `${section} ${SECTIONS[section]}`, ...[...others, ...reasons].flatMap(linesOf)];
  });
  const others = notImitatedIn(report);
  const end =
    others.length === 0 ? [] : ["", "Not imitated by momo serve --profile", ...others.map((one) => `  - ${one}`)];
  return [summaryOf(report), ...allNotes(report).map((note) => `! ${note}`), ...tree, ...end];
}

/** @param group one sentence, or those with one cause */
function linesOf(group: readonly Checked[]): string[] {
  const [one] = group as [Checked];
  const what = group.length === 1 ? one.sentence : `${group.length} sentences`;
  const sentences = group.length === 1 ? [] : group.map(({ sentence }) => sentence);
  const momo = isLikeMomo(one) ? "" : ` (momo: ${one.momo})`;
  return [
    `  ${MARKS[one.verdict]} ${what}${one.seen === "" ? "" : `: ${one.seen}`}${momo}`,
    ...(one.verdict === "fails" ? [...sentences, ...evidenceOf(group)].map((line) => `      ${line}`) : []),
  ];
}

/** @param shown the sentences with a result; one of a group that fails for one cause stands for the others */
function resultsOf(report: CheckReport, shown = report.checked): Results {
  const { checked, profile } = report;
  return {
    title: "momo check",
    summary: summaryOf(report),
    figures: {
      ...{ target: report.target, requests: report.requests, profile: JSON.stringify(profile) },
      notes: allNotes(report).join("; "),
    },
    rules: checked.map(({ id, section }) => ({ id, group: `momo.check ${section}` })),
    results: shown
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
      })),
  };
}
