import type { Result, Results, Rule } from "./results.ts";

/** JUnit XML: a test case for each result, and a passed one for each rule without results. */
export function junitReport({ title, summary, figures, rules, found }: Results): string {
  const cases = rules.flatMap((rule) => {
    const ofRule = found.filter((result) => result.rule === rule.id);
    return ofRule.length === 0 ? [`    <testcase ${named(rule, rule.id)}/>`] : ofRule.map((one) => testCase(rule, one));
  });
  const count = (is: Result["is"]) => found.filter((result) => result.is === is).length;
  const counts = `tests="${cases.length}" failures="${count("failure")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(title)}" ${counts}>`,
    `  <testsuite name="${escaped(title)}" ${counts} errors="0" skipped="${count("skipped")}">`,
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

/** For XML and HTML. XML 1.0 cannot hold some characters, not even as a reference. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\u{FFFE}\u{FFFF}]/gu, "\u{FFFD}")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
