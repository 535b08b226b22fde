import { describe, expect, test } from "bun:test";
import { SaxesParser } from "saxes";
import type { AuditReport } from "../../../sandbox/audit/audit.ts";
import { formatReport, REPORT_FORMATS, type ReportFormat, summaryOf } from "../../../sandbox/audit/report.ts";
import { type FindingKind, KIND_NAMES, KINDS } from "../../../sandbox/audit/rules.ts";
import { SEVERITIES, type Severity } from "../../../sandbox/audit/severity.ts";
import type { Finding, Tally } from "../../../sandbox/audit/shape.ts";
import { readDocument } from "../../support/documents.ts";
import { kindOf } from "./audited-client.ts";

/** Characters that the formats must escape, or cannot contain. */
const HOSTILE_TEXT = `<a b="c" d='e'>&amp; 100% ::error:: one,two\r\nthree ]]> \u0000\u0007\u001b[2J \uFFFE \uD83D 🛒`;

function findingOf(kind: FindingKind, more: Partial<Finding> = {}): Finding {
  const { severity, section, advice } = kindOf(kind);
  const message = `a client ${kind}`;
  const example = {
    message,
    request_ids: [1, 2],
    checkout_request_ids: ["ws_CO_1"],
    checkout_request_id: "ws_CO_1",
    reference: "A",
  };
  return {
    kind,
    severity,
    advice,
    section,
    ...example,
    first_at: "2026-11-20 10:00:00",
    count: 3,
    examples: [
      { ...example, ...more },
      { ...example, request_ids: [7], checkout_request_id: "ws_CO_7", reference: null },
    ],
    ...more,
  };
}

const COUNTS = Object.fromEntries(
  SEVERITIES.map((name) => [name, KINDS.filter(({ severity }) => severity === name).length]),
);
const TALLY: Tally = {
  requests: 12,
  accepted: 8,
  refused: [
    { status: 400, message: HOSTILE_TEXT.toWellFormed(), count: 2 },
    { status: null, message: "no answer", count: 1 },
  ],
  refused_left_out: 1,
  refused_before_operations: 2,
  answers_not_delivered: 1,
  lenient_takes: 1,
  payments: { started: 5, paid: 3, not_learned: 1, one_by_one: 5 },
  deliveries: { sent: 2, not_taken: 1 },
  chapters: 1,
};
const NO_TALLY: Tally = {
  requests: 0,
  accepted: 0,
  refused: [],
  refused_left_out: 0,
  refused_before_operations: 0,
  answers_not_delivered: 0,
  lenient_takes: 0,
  payments: { started: 0, paid: 0, not_learned: 0, one_by_one: 0 },
  deliveries: { sent: 0, not_taken: 0 },
  chapters: 1,
};
const NOTHING: AuditReport = { tally: NO_TALLY, findings: [], accepted: 0, omitted: 0 };
const EVERYTHING: AuditReport = { ...NOTHING, findings: KINDS.map(({ kind }) => findingOf(kind)), omitted: 2 };
const HOSTILE: AuditReport = {
  ...NOTHING,
  tally: TALLY,
  findings: [
    findingOf("unknown_path", { message: HOSTILE_TEXT, reference: HOSTILE_TEXT, checkout_request_id: HOSTILE_TEXT }),
  ],
};
const REPORTS = [NOTHING, EVERYTHING, HOSTILE];

const write = (report: AuditReport, format: ReportFormat, failOn?: Severity) => formatReport(report, format, failOn);

interface Element {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly parent: string;
  text: string;
}

/** The elements of a JUnit report, read with a strict XML parser. */
function readJunit(report: AuditReport, failOn?: Severity): Element[] {
  const parser = new SaxesParser();
  const elements: Element[] = [];
  const open: Element[] = [];
  parser.on("opentag", ({ name, attributes }) => {
    const parent = open.at(-1)?.name ?? "";
    open.push({ name, attributes: attributes as Record<string, string>, parent, text: "" });
    elements.push(...open.slice(-1));
  });
  parser.on("text", (text) => {
    for (const element of open.slice(-1)) element.text += text;
  });
  parser.on("closetag", () => void open.pop());
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(write(report, "junit", failOn)).close();
  return elements;
}

const named = (name: string, elements: readonly Element[]) => elements.filter((element) => element.name === name);

/** The elements that Jenkins, GitLab and GitHub read: the parent of each, and its attributes. */
const JUNIT: Readonly<Record<string, [parent: string, attributes: string[]]>> = {
  testsuites: ["", ["name", "tests", "failures"]],
  testsuite: ["testsuites", ["name", "tests", "failures", "errors", "skipped"]],
  properties: ["testsuite", []],
  property: ["properties", ["name", "value"]],
  testcase: ["testsuite", ["classname", "name"]],
  failure: ["testcase", ["type", "message"]],
  "system-out": ["testcase", []],
};

describe("JUnit", () => {
  test("is XML in the form that CI servers read, whatever a client sent", () => {
    for (const element of REPORTS.flatMap((report) => readJunit(report))) {
      expect([element.parent, Object.keys(element.attributes)]).toEqual(JUNIT[element.name] ?? []);
    }
    const [failure] = named("failure", readJunit(HOSTILE));
    expect(failure?.text).toContain(`<a b="c" d='e'>&amp; 100% ::error:: one,two`);
    expect(failure?.text).toContain("🛒");
  });

  test("has a case for each finding, and one that passes for each kind without findings", () => {
    const namesOf = (report: AuditReport) =>
      named("testcase", readJunit(report)).map(({ attributes }) => attributes.name);
    expect(namesOf(NOTHING)).toEqual([...KIND_NAMES]);
    expect(namesOf(HOSTILE)).toHaveLength(KIND_NAMES.length);
    const general = findingOf("unknown_path", { checkout_request_id: null });
    expect(namesOf({ ...NOTHING, findings: [general] })).toContain("unknown_path: A");
    const alone = { ...NOTHING, findings: [{ ...general, reference: null, request_ids: [] }] };
    expect(namesOf(alone)).toContain("unknown_path");
    expect(named("failure", readJunit(alone))[0]?.text).toContain("; no request; first at");
  });

  test.each([
    [undefined, ["error"]],
    ["warning", ["error", "warning"]],
    ["note", ["error", "warning", "note"]],
  ] as const)("failures from %p on", (failOn, severities) => {
    const elements = readJunit(EVERYTHING, failOn);
    const failures = named("failure", elements);
    expect(new Set(failures.map(({ attributes }) => attributes.type))).toEqual(new Set<string>(severities));
    expect(elements[0]?.attributes).toMatchObject({ tests: String(KINDS.length), failures: String(failures.length) });
  });
});

test("for GitHub each finding is one line, with the escapes that the runner undoes; a note is a notice", () => {
  const text = write(HOSTILE, "github");
  expect(text.match(/\n/g)).toHaveLength(2);
  expect(text).toStartWith("::notice title=momo audit::12 requests: 8 accepted, 4 refused (2 × 400 “<a b=");
  expect(text).toContain("\n::error title=momo audit%3A unknown_path::<a b=");
  expect(text).toContain(String.raw`100%25 ::error:: one,two\u000d%0Athree`);
  const report = { ...NOTHING, findings: [findingOf("unknown_member"), findingOf("polls_too_fast")] };
  expect(write(report, "github").match(/^::\w+/gm)).toEqual(["::notice", "::notice", "::warning"]);
});

test("the summary counts findings by their severity, and names three refusals", () => {
  const { error, warning, note } = COUNTS;
  expect(summaryOf(EVERYTHING)).toEndWith(
    `; ${error} errors, ${warning} warnings, ${note} notes (and 2 more without details)`,
  );
  const refused = ["a", "b", "c", "d"].map((message) => ({ status: 400, message, count: 1 }));
  expect(summaryOf({ ...NOTHING, tally: { ...TALLY, refused, chapters: 3 } })).toStartWith(
    "12 requests: 8 accepted, 5 refused (1 × 400 “a”, 1 × 400 “b”, 1 × 400 “c”, and 2 more); 2 refused before the operations; 1 answer not delivered; 5 payments started, 3 paid, 1 not learned; 2 webhooks sent, 1 not taken; in 3 parts, with a reset or a restore between them; 0 errors,",
  );
});

test("a value is not cut inside its quotes", () => {
  const message = `amount must be a number from 1 to 999999999.99 with at most two decimals; it is a string, "${"5".repeat(90)}"`;
  const report = { ...NOTHING, tally: { ...TALLY, refused: [{ status: 400, message, count: 1 }] } };
  expect(summaryOf(report)).toContain('555555555…"”');
});

test("in a text the same advice stands once", () => {
  const one = findingOf("unknown_path");
  const text = write({ ...NOTHING, findings: [one, { ...one, message: "another path" }] }, "text");
  expect(text.split(one.advice)).toHaveLength(2);
  expect(text).toContain("  another path\n  What to do: as above.\n");
});

test("each format begins with what happened", () => {
  const [suite] = named("testsuite", readJunit(HOSTILE));
  expect(suite?.parent).toBe("testsuites");
  const properties = named("property", readJunit(HOSTILE)).map(({ attributes: { name, value } }) => [name, value]);
  expect(properties[0]).toEqual(["summary", expect.stringContaining("12 requests: 8 accepted")]);
  expect(Object.fromEntries(properties)).toMatchObject({
    requests: "12",
    accepted: "8",
    "refused no answer no answer": "1",
    refused_left_out: "1",
    payments_started: "5",
    payments_paid: "3",
    payments_not_learned: "1",
    webhooks_sent: "2",
    webhooks_not_taken: "1",
  });
  expect(JSON.parse(write(HOSTILE, "json"))).toMatchObject(TALLY);
});

test.each(REPORT_FORMATS)("%s has no character that a terminal obeys or nobody sees", (format) => {
  const message = "\u001b[31m \u202e \u200b \u{e0041}";
  const report = { ...HOSTILE, findings: [{ ...findingOf("unknown_path"), message }] };
  expect(write(report, format)).toContain(String.raw`\u001b[31m \u202e \u200b \udb40\udc41`);
  expect(write(report, format)).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u);
});

test("JSON has the findings unchanged, and counts them", () => {
  const { error: errors, warning: warnings, note: notes } = COUNTS;
  const counts = { errors, warnings, notes, accepted_findings: 0, left_out: 2 };
  expect(JSON.parse(write(EVERYTHING, "json"))).toEqual({ ...NO_TALLY, ...counts, findings: EVERYTHING.findings });
});

const PARTS = { error: "Errors", warning: "Warnings", note: "Notes" };

test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
  "docs/audit.md has %s with its severity and its section",
  (name, kind) => {
    const parts = readDocument("docs/audit.md").text.split(/^## /m);
    const part = parts.find((text) => text.startsWith(PARTS[kind.severity]));
    expect(part).toContain(`\`${name}\` (${kind.section})`);
  },
);

test("the picture of a failing test shows findings that there are, with their severity and their advice", () => {
  const shown = readDocument("docs/failing-test.svg")
    .text.replaceAll(/<[^>]*>/g, "\n")
    .replaceAll(/\s+/g, " ");
  const found = [...shown.matchAll(/\b(error|warning|note): ([a-z_]+)/g)];
  expect(found.length).toBeGreaterThan(1);
  for (const [, severity, name] of found) {
    const kind = kindOf(name as FindingKind);
    expect(kind.severity).toBe(severity as Severity);
    expect(shown).toContain(kind.advice);
  }
});
