import { jsonText, visibleLines } from "../../src/domain/visible.ts";
import type { Severity } from "./kinds.ts";

/** What the reports for other programs have in common, whatever was examined: JUnit, SARIF and GitHub's annotations. */
export interface Results {
  /** Such as `momo audit`. */
  readonly title: string;
  /** What happened, in one line. */
  readonly summary: string;
  /** What happened, as JSON. */
  readonly facts: object;
  /** The same as names with one value each, for JUnit. */
  readonly figures: Readonly<Record<string, string | number>>;
  readonly rules: readonly Rule[];
  /** What was found. A rule without a result passes. */
  readonly results: readonly Result[];
}

export interface Rule {
  readonly id: string;
  /** The class of its test case. */
  readonly group: string;
  /** What it is about, in a few words. */
  readonly short: string;
  readonly full: string;
  /** What would be right. */
  readonly help: string;
  readonly level: Severity;
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
  /** Where it was found. */
  readonly place: string;
  readonly count: number;
  readonly properties: object;
}

/** What a report says if the run that it is about ended early: one error. */
export function endOf(title: string, message: string, advice: string): Pick<Results, "rules" | "results"> {
  const rule = {
    id: "not_run",
    group: title.replace(" ", "."),
    short: "The run",
    full: "The run comes to its end",
    help: advice,
  };
  const result = {
    rule: rule.id,
    name: rule.id,
    is: "error",
    message,
    advice,
    details: `${message}\n${advice}`,
  } as const;
  return {
    rules: [{ ...rule, level: "error" }],
    results: [{ ...result, level: "error", place: title, count: 1, properties: {} }],
  };
}

/** The report for another program. */
export function formatResults(report: Results, format: "junit" | "sarif" | "github", version: string) {
  if (format === "junit") return junitReport(report);
  return format === "github" ? githubReport(report) : `${jsonText(sarifReport(report, version), 2)}\n`;
}

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

/** For XML and HTML. XML 1.0 also forbids U+FFFE and U+FFFF, even as a reference. */
export function escaped(text: string): string {
  return visibleLines(text)
    .toWellFormed()
    .replaceAll(/[\u{FFFE}\u{FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** SARIF 2.1.0, for services that show the results of analysers. */
function sarifReport({ summary, facts, rules, results }: Results, version: string): object {
  const order = new Map(rules.map(({ id }, index) => [id, index]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        properties: { summary, ...facts },
        tool: {
          driver: {
            name: "momo",
            version,
            rules: rules.map(({ id, short, full, help, level }) => ({
              id,
              shortDescription: { text: short },
              fullDescription: { text: full },
              help: { text: help },
              defaultConfiguration: { level },
            })),
          },
        },
        results: results
          .filter(({ is }) => is !== "skipped")
          .map(({ rule, level, message, place, count, properties }) => ({
            ruleId: rule,
            ruleIndex: order.get(rule),
            level,
            message: { text: message.toWellFormed() },
            occurrenceCount: count,
            locations: [{ logicalLocations: [{ fullyQualifiedName: place }] }],
            properties,
          })),
      },
    ],
  };
}
