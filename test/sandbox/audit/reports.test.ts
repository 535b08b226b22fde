import { describe, expect, test } from "bun:test";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
import { SaxesParser } from "saxes";
import type { AuditReport } from "../../../sandbox/audit/audit.ts";
import type { Finding } from "../../../sandbox/audit/finding.ts";
import { FINDING_KINDS, type FindingKind } from "../../../sandbox/audit/kinds.ts";
import { formatReport, REPORT_FORMATS } from "../../../sandbox/audit/reports/report.ts";
import { createSchemaChecker } from "../../support/json-schema.ts";

const isSarif = (await createSchemaChecker("04"))(sarifSchema);

const VERSION = "1.2.3";
/** What every format must write otherwise, and what none can write at all. */
const NASTY = `<a b="c" d='e'>&amp; 100% ::error:: one,two\r\nthree ]]> \u0000\u0007\u001b[2J \uFFFE \uD83D 🛒`;

function findingOf(kind: FindingKind, more: Partial<Finding> = {}): Finding {
  const { severity, section, advice } = FINDING_KINDS[kind];
  return {
    kind,
    severity,
    message: `a client ${kind}`,
    advice,
    section,
    request_ids: [1, 2],
    checkout_request_id: "ws_CO_1",
    reference: "A",
    first_at: "2026-11-20 10:00:00",
    count: 3,
    ...more,
  };
}

const NOTHING: AuditReport = { findings: [], leftOut: 0 };
const EVERYTHING: AuditReport = {
  findings: (Object.keys(FINDING_KINDS) as FindingKind[]).map((kind) => findingOf(kind)),
  leftOut: 2,
};
const HOSTILE: AuditReport = {
  findings: [findingOf("unknown_path", { message: NASTY, reference: NASTY, checkout_request_id: NASTY })],
  leftOut: 0,
};
const ALL = [NOTHING, EVERYTHING, HOSTILE];

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads XML with a parser that takes nothing but XML. */
function parseXml(xml: string): Element {
  const parser = new SaxesParser();
  const open: Element[] = [{ name: "", attributes: {}, children: [], text: "" }];
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on("closetag", () => void open.pop());
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(xml).close();
  return open[0]?.children[0] as Element;
}

/** The elements of JUnit's XML that Jenkins, GitLab and GitHub read: their attributes, and what may stand in them. */
const JUNIT: Readonly<Record<string, readonly [attributes: readonly string[], children: readonly string[]]>> = {
  testsuites: [["name", "tests", "failures"], ["testsuite"]],
  testsuite: [["name", "tests", "failures", "errors", "skipped"], ["testcase"]],
  testcase: [
    ["classname", "name"],
    ["failure", "system-out"],
  ],
  failure: [["type", "message"], []],
  "system-out": [[], []],
};

function expectJunit(element: Element): void {
  const [attributes, children] = JUNIT[element.name] ?? [[], []];
  expect(Object.keys(element.attributes)).toEqual([...attributes]);
  for (const child of element.children) {
    expect(children).toContain(child.name);
    expectJunit(child);
  }
}

const casesOf = (report: AuditReport, failOn?: "warning" | "note") =>
  parseXml(formatReport(report, "junit", { version: VERSION, ...(failOn && { failOn }) })).children[0]?.children ?? [];

test.each(REPORT_FORMATS)("a report as %s is the same for the same findings", (format) => {
  for (const report of ALL) {
    const texts = [1, 2].map(() => formatReport(structuredClone(report), format, { version: VERSION }));
    expect(texts[0]).toBe(texts[1] ?? "");
  }
});

describe("JUnit", () => {
  test("is XML in the shape that CI servers read, whatever a client sent", () => {
    for (const report of ALL) expectJunit(parseXml(formatReport(report, "junit", { version: VERSION })));
  });

  test("has a case for each finding, and one that passes for each kind that was not found", () => {
    expect(casesOf(NOTHING).map(({ attributes }) => attributes.name ?? "")).toEqual(Object.keys(FINDING_KINDS));
    expect(casesOf(NOTHING).flatMap(({ children }) => children)).toEqual([]);
    expect(casesOf(HOSTILE)).toHaveLength(Object.keys(FINDING_KINDS).length);
  });

  test.each([
    [undefined, ["error"]],
    ["warning", ["error", "warning"]],
    ["note", ["error", "warning", "note"]],
  ] as const)("from %p on findings are failures, and counted", (failOn, severities) => {
    const xml = parseXml(formatReport(EVERYTHING, "junit", { version: VERSION, ...(failOn && { failOn }) }));
    const failures = casesOf(EVERYTHING, failOn).flatMap(({ children }) =>
      children.filter(({ name }) => name === "failure"),
    );
    expect(new Set(failures.map(({ attributes }) => attributes.type ?? ""))).toEqual(new Set(severities));
    expect(xml.attributes.failures).toBe(String(failures.length));
    expect(xml.attributes.tests).toBe(String(casesOf(EVERYTHING).length));
  });

  test("what a client sent arrives as it was, but for what XML cannot hold", () => {
    const [failed] = casesOf(HOSTILE).flatMap(({ children }) => children);
    expect(failed?.text).toContain(`<a b="c" d='e'>&amp; 100% ::error:: one,two`);
    expect(failed?.text).toContain("🛒");
  });
});

describe("SARIF", () => {
  test("fits the official schema, whatever a client sent", () => {
    for (const report of ALL) {
      expect(isSarif(JSON.parse(formatReport(report, "sarif", { version: VERSION })))).toBeNull();
    }
    expect(isSarif({ version: "2.1.0", runs: [{ results: [] }] })).toContain("tool");
  });

  test("each result is of its rule, and each rule says what would be right", () => {
    const [run] = JSON.parse(formatReport(EVERYTHING, "sarif", { version: VERSION })).runs;
    const { rules } = run.tool.driver;
    expect(run.results).toHaveLength(rules.length);
    for (const { ruleId, ruleIndex, level } of run.results) {
      expect(rules[ruleIndex]).toMatchObject({ id: ruleId, defaultConfiguration: { level } });
      expect(rules[ruleIndex].help.text).toBe(FINDING_KINDS[ruleId as FindingKind].advice);
    }
  });
});

describe("annotations for GitHub", () => {
  test("are one command a line, with the escapes that the runner undoes", () => {
    const text = formatReport(HOSTILE, "github", { version: VERSION });
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(text).toStartWith("::error title=momo audit%3A unknown_path (§4)::<a b=");
    expect(text).toContain("100%25 ::error:: one,two%0D%0Athree");
  });

  test("call a note a notice", () => {
    const report = { findings: [findingOf("unknown_member"), findingOf("polls_too_fast")], leftOut: 0 };
    expect(formatReport(report, "github", { version: VERSION }).match(/^::\w+/gm)).toEqual(["::notice", "::warning"]);
  });
});

describe("text", () => {
  test("says what happened, what would be right, where, and how many there are", () => {
    const text = formatReport({ findings: [findingOf("polls_too_fast")], leftOut: 0 }, "text", { version: VERSION });
    expect(text).toBe(`warning: polls_too_fast (§4.4)
  a client polls_too_fast
  ${FINDING_KINDS.polls_too_fast.advice}
  ws_CO_1; reference A; calls 1, 2; first at 2026-11-20 10:00:00; 3 times

1 warning
`);
    expect(formatReport(EVERYTHING, "text", { version: VERSION })).toEndWith(
      "\n7 errors, 4 warnings, 2 notes (and 2 more without details)\n",
    );
    expect(formatReport(NOTHING, "text", { version: VERSION })).toBe("nothing found\n");
  });

  test("has nothing in it that a terminal would obey", () => {
    expect(formatReport(HOSTILE, "text", { version: VERSION })).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});

test("JSON has the findings as they are, and counts them", () => {
  expect(JSON.parse(formatReport(EVERYTHING, "json", { version: VERSION }))).toEqual({
    errors: 7,
    warnings: 4,
    notes: 2,
    left_out: 2,
    findings: EVERYTHING.findings,
  });
});
