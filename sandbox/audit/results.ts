import { visibleLines } from "../../src/domain/visible.ts";
import type { Severity } from "./severity.ts";

/** What the reports for other programs have in common, whatever was examined: JUnit and GitHub's annotations. */
export interface Results {
  /** Such as `momo audit`. */
  readonly title: string;
  /** What happened, in one line. */
  readonly summary: string;
  /** What happened, as names with one value each, for JUnit. */
  readonly figures: Readonly<Record<string, string | number>>;
  readonly rules: readonly Rule[];
  /** What was found. A rule without a result passes. */
  readonly results: readonly Result[];
}

export interface Rule {
  readonly id: string;
  /** The class of its test case. */
  readonly group: string;
}

export interface Result {
  readonly rule: string;
  /** Of its test case. */
  readonly name: string;
  readonly level: Severity;
  /** A failure fails its test case, an error ended the run; a skipped rule was not examined, and others pass. */
  readonly is: "failure" | "error" | "skipped" | "remark";
  readonly message: string;
  /** What would be right, for an annotation. */
  readonly advice: string;
  /** The message with all that is known. */
  readonly details: string;
}

/** What a report says if the run that it is about ended early: one error. */
export function endOf(title: string, message: string, advice: string): Pick<Results, "rules" | "results"> {
  const rule = { id: "not_run", group: title.replace(" ", ".") };
  const details = `${message}\n${advice}`;
  return {
    rules: [rule],
    results: [{ rule: rule.id, name: rule.id, level: "error", is: "error", message, advice, details }],
  };
}

/** The report for another program. */
export const formatResults = (report: Results, format: "junit" | "github"): string =>
  format === "junit" ? junitReport(report) : githubReport(report);

const COMMANDS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", note: "notice" };

/** Workflow commands of GitHub Actions: what happened, and each result, becomes an annotation. */
function githubReport({ title, summary, results }: Results): string {
  const lines = results
    .filter(({ is }) => is !== "skipped")
    .map(({ rule, level, message, advice }) => {
      return `::${COMMANDS[level]} title=${githubProperty(`${title}: ${rule}`)}::${data(`${message}\n${advice}`)}\n`;
    });
  return [`::notice title=${githubProperty(title)}::${data(summary)}\n`, ...lines].join("");
}

/** Characters that end a message are escaped. */
const data = (text: string) =>
  visibleLines(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const githubProperty = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** JUnit XML: a test case for each result, and a passed one for each rule without results. */
function junitReport({ title, summary, figures, rules, results }: Results): string {
  const cases = rules.flatMap((rule) => {
    const ofRule = results.filter((result) => result.rule === rule.id);
    return ofRule.length === 0 ? [`    <testcase ${named(rule, rule.id)}/>`] : ofRule.map((one) => testCase(rule, one));
  });
  const count = (is: Result["is"]) => results.filter((result) => result.is === is).length;
  const counts = `tests="${cases.length}" failures="${count("failure")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(title)}" ${counts}>`,
    `  <testsuite name="${escaped(title)}" ${counts} errors="${count("error")}" skipped="${count("skipped")}">`,
    "    <properties>",
    property("summary", summary),
    ...Object.entries(figures).map(([name, value]) => property(name, String(value))),
    "    </properties>",
    ...cases,
    "  </testsuite>",
    "</testsuites>\n",
  ].join("\n");
}

const property = (name: string, value: string) => `      <property name="${escaped(name)}" value="${escaped(value)}"/>`;

const named = ({ group }: Rule, name: string) => `classname="${escaped(group)}" name="${escaped(name)}"`;

function testCase(rule: Rule, { name, level, is, message, details }: Result): string {
  const body = {
    failure: `<failure type="${level}" message="${escaped(message)}">${escaped(details)}</failure>`,
    error: `<error type="${rule.id}" message="${escaped(message)}">${escaped(details)}</error>`,
    skipped: `<skipped message="${escaped(message)}"/>`,
    remark: `<system-out>${level}: ${escaped(details)}</system-out>`,
  }[is];
  return `    <testcase ${named(rule, name)}>\n      ${body}\n    </testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** For XML and SVG. XML 1.0 also forbids U+FFFE and U+FFFF, even as a reference. */
export function escaped(text: string): string {
  return visibleLines(text)
    .toWellFormed()
    .replaceAll(/[\u{FFFE}\u{FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
