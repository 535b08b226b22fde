import { isDeepStrictEqual } from "node:util";
import { counted } from "../../src/domain/counted.ts";
import { jsonText, visible } from "../../src/domain/visible.ts";
import { endOf, formatResults, type Results } from "../audit/results.ts";
import type { Breaks, Fact } from "./fact.ts";
import { type Checked, type CheckReport, type Evidence, SECTIONS, type Verdict } from "./result.ts";
import { inWords } from "./words.ts";

/** What a check has found, as text. Here facts become sentences. */

export const CHECK_FORMATS = ["text", "json", "junit"] as const;
export type CheckFormat = (typeof CHECK_FORMATS)[number];

/**
 * The report as the text of a file.
 * @param all whether text shows also where the specification is silent
 */
export function formatCheck(report: CheckReport, format: CheckFormat, all = false): string {
  switch (format) {
    case "text":
      return `${textLines(report, all).map(visible).join("\n")}\n`;
    case "json":
      return `${jsonText(jsonView(report), 2)}\n`;
    case "junit":
      return formatResults(withEnd(resultsOf(report), report.stopped), format);
  }
}

const MARKS: Readonly<Record<Verdict, string>> = { holds: "✓", fails: "✗", recorded: "·", skipped: "-" };

const GROUPS: Readonly<Record<Breaks, string>> = {
  money: "What does not hold, and breaks money or clients",
  shape: "What does not hold in the shape of answers",
};

const countOf = ({ checked }: CheckReport, verdict: Verdict): number =>
  checked.filter((one) => one.verdict === verdict).length;

const seenOf = ({ fact }: Checked): string => (fact === null ? "" : inWords(fact));

function summaryOf(report: CheckReport): string {
  const holds = countOf(report, "holds");
  const fails = countOf(report, "fails");
  const recorded = counted(countOf(report, "recorded"), "silent one");
  const requests = counted(report.requests, "request");
  return `${holds} of ${holds + fails} stated sentences hold, ${recorded} recorded, ${countOf(report, "skipped")} not checked; ${requests} to ${report.target}`;
}

/** What else is worth knowing, and why the check ended early. */
function notesOf({ notes, stopped }: CheckReport): string[] {
  const lines = notes.map(inWords);
  return stopped === null ? lines : [...lines, `stopped early: ${inWords(stopped)}`];
}

const withText = <One extends Fact>(fact: One) => ({ ...fact, text: inWords(fact) });

/** Each fact as data and in words. */
function jsonView(report: CheckReport) {
  return {
    summary: summaryOf(report),
    ...report,
    stopped: report.stopped && withText(report.stopped),
    notes: report.notes.map(withText),
    checked: report.checked.map((row) => ({
      ...row,
      fact: row.fact && withText(row.fact),
      momo: row.momo && withText(row.momo),
    })),
  };
}

/**
 * The sentences in groups: those of one section that fail for the same cause, or were skipped for it, form a group, in the place
 * of the first. Each other sentence is a group of its own.
 */
export const byCause = (checked: readonly Checked[]): Checked[][] => [
  ...Map.groupBy(checked, ({ id, verdict, section, fact }) =>
    verdict === "fails" || verdict === "skipped" ? JSON.stringify([verdict, section, fact]) : id,
  ).values(),
];

/** What fails, then each section with what holds and what was not checked, and on request what is silent. */
function textLines(report: CheckReport, all: boolean): string[] {
  const lines = [summaryOf(report), ...notesOf(report).map((note) => `! ${note}`)];
  for (const breaks of ["money", "shape"] as const) {
    const failed = report.checked.filter((one) => one.verdict === "fails" && one.breaks === breaks);
    if (failed.length > 0) lines.push("", GROUPS[breaks], ...byCause(failed).flatMap(failureLines));
  }
  const silent = report.checked.filter(({ momo }) => momo !== null);
  for (const section of Object.keys(SECTIONS)) {
    const stated = report.checked.filter((one) => one.section === section && one.momo === null);
    const others = stated.filter(({ verdict }) => verdict !== "fails");
    if (others.length > 0) lines.push("", `${section} ${SECTIONS[section]}`, ...quietLines(others));
  }
  if (!all) {
    if (silent.length > 0) lines.push("", `${counted(silent.length, "sentence")} about silent places: see --all`);
    return lines;
  }
  lines.push("", "Where the specification is silent", ...quietLines(silent));
  const missing = notImitatedIn(report);
  if (missing.length > 0) lines.push("", "Not imitated by momo serve --profile", ...missing.map((one) => `  - ${one}`));
  return lines;
}

/** @param group sentences that fail for one cause */
function failureLines(group: readonly Checked[]): string[] {
  const [one] = group as [Checked];
  const shown = evidenceOf(group);
  if (group.length === 1) return [`  ✗ ${one.section} ${one.sentence}: ${seenOf(one)}`, ...shown.map(indented)];
  const sentences = group.map(({ sentence }) => sentence);
  return [
    `  ✗ ${one.section} ${group.length} sentences: ${seenOf(one)}`,
    ...sentences.map(indented),
    ...shown.map(indented),
  ];
}

const indented = (line: string): string => `      ${line}`;

/** What holds, is recorded or was skipped. What one or two sentences lack stands beside each of them. */
function quietLines(checked: readonly Checked[]): string[] {
  const groups = byCause(checked);
  const isMany = (group: readonly Checked[]) => group[0]?.verdict === "skipped" && group.length > 2;
  const alone = groups.filter((group) => !isMany(group)).flat();
  const skipped = alone.filter(({ verdict }) => verdict === "skipped");
  const others = alone.filter(({ verdict }) => verdict !== "skipped");
  return [
    ...others.map(quietLine),
    ...skipped.map(quietLine),
    ...groups
      .filter(isMany)
      .map((group) => `  ${MARKS.skipped} ${group.length} sentences: ${seenOf(group[0] as Checked)}`),
  ];
}

function quietLine(one: Checked): string {
  const seen = seenOf(one);
  return `  ${MARKS[one.verdict]} ${one.sentence}${seen === "" ? "" : `: ${seen}`}${isLikeMomo(one) ? "" : momoOf(one)}`;
}

const momoOf = ({ momo }: Checked): string => (momo === null ? "" : ` (momo: ${inWords(momo)})`);

/** Whether the service does as momo does by itself. */
const isLikeMomo = ({ verdict, fact, momo }: Checked): boolean =>
  momo === null || verdict === "skipped" || isDeepStrictEqual(fact, momo);

/** The requests and the answers that show it, each once. */
function evidenceOf(group: readonly Checked[]): string[] {
  const all = group.flatMap(({ evidence }) => evidence ?? []);
  return [...new Set([...all.map(({ curl }) => curl), ...all.map(answerLine)])];
}

const answerLine = ({ status, answer }: Evidence): string => (status === null ? answer : `${status} ${answer}`);

/** What `momo serve --profile` does not imitate, in words. */
function notImitatedIn({ checked, notImitated }: CheckReport): string[] {
  const rows = checked.filter(({ id }) => notImitated.includes(id));
  const fails = rows.filter(({ verdict }) => verdict === "fails").length;
  const silent = rows.filter(({ verdict }) => verdict === "recorded");
  const lines = silent.map((one) => `${one.sentence}: ${seenOf(one)}`);
  for (const group of byCause(rows.filter(({ verdict }) => verdict === "skipped"))) {
    const sentences = group.map(({ sentence }) => sentence).join("; ");
    lines.push(`${sentences}: not checked, ${seenOf(group[0] as Checked)}`);
  }
  if (fails > 0) lines.push(`${counted(fails, "stated sentence")} that ${fails === 1 ? "does" : "do"} not hold`);
  return lines;
}

/** Other programs take it for an error if a check ended early. */
function withEnd(report: Results, stopped: CheckReport["stopped"]): Results {
  if (stopped === null || stopped.kind === "budget_spent") return report;
  const { rules, results } = endOf(report.title, inWords(stopped), "The sentences that are skipped were not checked.");
  return { ...report, rules: [...report.rules, ...rules], results: [...report.results, ...results] };
}

const IS = { fails: "failure", skipped: "skipped", recorded: "remark", holds: "remark" } as const;

function resultsOf(report: CheckReport): Results {
  const { checked, profile } = report;
  return {
    title: "momo check",
    summary: summaryOf(report),
    figures: {
      target: report.target,
      requests: report.requests,
      profile: JSON.stringify(profile),
      notes: notesOf(report).join("; "),
    },
    rules: checked.map(({ id, section, breaks }) => ({ id, group: `momo.check ${breaks} ${section}` })),
    results: checked.filter(({ verdict }) => verdict !== "holds").map(resultOf),
  };
}

function resultOf(one: Checked): Results["results"][number] {
  const { id, section, sentence, verdict, momo, evidence } = one;
  const message = `${sentence}: ${seenOf(one)}`;
  const details = [`${section} ${message}`];
  if (evidence) details.push(evidence.curl, answerLine(evidence));
  return {
    rule: id,
    name: id,
    level: verdict === "fails" ? "error" : "note",
    is: IS[verdict],
    message,
    advice: momo === null ? `${section} of the specification` : `momo: ${inWords(momo)}`,
    details: details.join("\n"),
  };
}
