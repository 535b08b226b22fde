import { describe, expect, test } from "bun:test";
import sarifSchema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
import { SaxesParser } from "saxes";
import type { AuditReport } from "../../../sandbox/audit/audit.ts";
import { createFindingBook, type Finding } from "../../../sandbox/audit/finding.ts";
import { FINDING_KINDS, type FindingKind, type Severity } from "../../../sandbox/audit/kinds.ts";
import { formatReport, REPORT_FORMATS, type ReportFormat, summaryOf } from "../../../sandbox/audit/report.ts";
import { createTally, type Tally } from "../../../sandbox/audit/tally.ts";
import { readDocument } from "../../support/documents.ts";
import { createSchemaChecker } from "../../support/openapi.ts";

const isSarif = (await createSchemaChecker("04"))(sarifSchema);

/** Characters that the formats must escape, or cannot contain. */
const HOSTILE_TEXT = `<a b="c" d='e'>&amp; 100% ::error:: one,two\r\nthree ]]> \u0000\u0007\u001b[2J \uFFFE \uD83D 🛒`;

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

const KINDS = Object.keys(FINDING_KINDS) as FindingKind[];
const TALLY: Tally = {
  requests: 12,
  accepted: 8,
  refused: [
    { status: 400, message: HOSTILE_TEXT.toWellFormed(), count: 2 },
    { status: null, message: "no answer", count: 1 },
  ],
  refused_left_out: 1,
  lenient_takes: 1,
  payments: { started: 5, paid: 3, not_followed: 1 },
  deliveries: { sent: 2, not_taken: 1 },
  chapters: 1,
};
const NO_TALLY: Tally = {
  requests: 0,
  accepted: 0,
  refused: [],
  refused_left_out: 0,
  lenient_takes: 0,
  payments: { started: 0, paid: 0, not_followed: 0 },
  deliveries: { sent: 0, not_taken: 0 },
  chapters: 1,
};
const NOTHING: AuditReport = { tally: NO_TALLY, findings: [], omitted: 0 };
const EVERYTHING: AuditReport = { ...NOTHING, findings: KINDS.map((kind) => findingOf(kind)), omitted: 2 };
const HOSTILE: AuditReport = {
  ...NOTHING,
  tally: TALLY,
  findings: [
    findingOf("unknown_path", { message: HOSTILE_TEXT, reference: HOSTILE_TEXT, checkout_request_id: HOSTILE_TEXT }),
  ],
};
const REPORTS = [NOTHING, EVERYTHING, HOSTILE];

const write = (report: AuditReport, format: ReportFormat, failOn?: Severity) =>
  formatReport(report, format, { version: "1.2.3", ...(failOn && { failOn }) });

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
    expect(namesOf(NOTHING)).toEqual(KINDS);
    expect(namesOf(HOSTILE)).toHaveLength(KINDS.length);
    const general = findingOf("unknown_path", { checkout_request_id: null });
    expect(namesOf({ ...NOTHING, findings: [general] })).toContain("unknown_path: requests 1, 2");
    const alone = { ...NOTHING, findings: [{ ...general, request_ids: [] }] };
    expect(namesOf(alone)).toContain("unknown_path");
    expect(named("failure", readJunit(alone))[0]?.text).toContain("; requests none; first at");
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

test("SARIF fits the official schema, and each result has its rule with the advice", () => {
  for (const report of REPORTS) expect(isSarif(JSON.parse(write(report, "sarif")))).toBeNull();
  expect(isSarif({ version: "2.1.0", runs: [{ results: [] }] })).toContain("tool");

  const [run] = JSON.parse(write(EVERYTHING, "sarif")).runs;
  const { rules } = run.tool.driver;
  expect(run.results).toHaveLength(rules.length);
  for (const { ruleId, ruleIndex, level } of run.results) {
    const { advice } = FINDING_KINDS[ruleId as FindingKind];
    expect(rules[ruleIndex]).toMatchObject({ id: ruleId, defaultConfiguration: { level }, help: { text: advice } });
  }
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
  expect(summaryOf(EVERYTHING)).toEndWith("; 9 errors, 7 warnings, 5 notes (and 2 more without details)");
  const refused = ["a", "b", "c", "d"].map((message) => ({ status: 400, message, count: 1 }));
  expect(summaryOf({ ...NOTHING, tally: { ...TALLY, refused, chapters: 3 } })).toStartWith(
    "12 requests: 8 accepted, 5 refused (1 × 400 “a”, 1 × 400 “b”, 1 × 400 “c”, and 2 more); 5 payments started, 3 paid, 1 not followed; 2 webhooks sent, 1 not taken; 3 chapters (a reset or a restore begins one); 0 errors,",
  );
});

test("a value is not cut inside its quotes", () => {
  const message = `amount must be a number from 1 to 999999999.99 with at most two decimals; it is a string, "${"5".repeat(40)}"`;
  const report = { ...NOTHING, tally: { ...TALLY, refused: [{ status: 400, message, count: 1 }] } };
  expect(summaryOf(report)).toContain('it is a string, "555555555…"”');
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
    payments_not_followed: "1",
    webhooks_sent: "2",
    webhooks_not_taken: "1",
  });
  expect(JSON.parse(write(HOSTILE, "sarif")).runs[0].properties).toEqual({
    summary: summaryOf(HOSTILE),
    ...TALLY,
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
  const counts = { errors: 9, warnings: 7, notes: 5, left_out: 2 };
  expect(JSON.parse(write(EVERYTHING, "json"))).toEqual({ ...NO_TALLY, ...counts, findings: EVERYTHING.findings });
});

const PARTS = { error: "Errors", warning: "Warnings", note: "Notes" };

test.each(Object.entries(FINDING_KINDS))("docs/audit.md has %s with its severity and its section", (kind, facts) => {
  const parts = readDocument("docs/audit.md").text.split(/^## /m);
  const part = parts.find((text) => text.startsWith(PARTS[facts.severity]));
  expect(part).toContain(`\`${kind}\` (${facts.section})`);
});

test("findings are listed by severity, and those of equal severity by time, also those that only a report adds", () => {
  const book = createFindingBook();
  const mistake = (atMs: number) => ({ requestIds: [], atMs, message: `${atMs}` });
  book.add({ kind: "unknown_member", subject: "a", ...mistake(0) });
  book.add({ kind: "polls_too_fast", subject: "a", ...mistake(10) });
  book.add({ kind: "unknown_id", subject: "a", ...mistake(20) });
  book.add({ kind: "polls_too_fast", subject: "b", ...mistake(30) });
  book.add({ kind: "ignores_final", subject: "a", ...mistake(50) });
  const missing = { kind: "never_polls", subject: "a", ...mistake(40) } as const;
  const first = { kind: "nothing_accepted", severity: "note", subject: "", ...mistake(60) } as const;
  const order = book.list([missing, first]).map(({ kind, message }) => `${kind} ${message}`);
  expect(order).toEqual([
    ...[
      "nothing_accepted 60",
      "never_polls 40",
      "ignores_final 50",
      "polls_too_fast 10",
      "unknown_id 20",
      "polls_too_fast 30",
    ],
    "unknown_member 0",
  ]);
});

/** Each attempt of a delivery: its number, and whether it is taken. The third one is the last. */
test.each<[attempts: [number, taken: boolean][], sent: number, notTaken: number]>([
  [[[1, true]], 1, 0],
  [[[1, false]], 1, 1],
  [
    [
      [1, false],
      [2, false],
      [3, true],
    ],
    1,
    0,
  ],
  [
    [
      [1, false],
      [2, false],
      [3, false],
    ],
    1,
    1,
  ],
  [[[2, true]], 1, 0],
  [
    [
      [2, false],
      [3, true],
    ],
    1,
    0,
  ],
  [[[3, false]], 1, 1],
])("a delivery counts at the first attempt that the audit sees: %j", (seen, sent, not_taken) => {
  const tally = createTally();
  for (const [number, isTaken] of seen) {
    const attempt = { atMs: 0, durationMs: 0, status: null, answer: null, problem: isTaken ? null : "no answer" };
    const isLast = isTaken || number === 3;
    tally.delivery({ id: 7, attempts: Array(number).fill(attempt), dueAtMs: isLast ? null : 1 });
  }
  expect(tally.now([], []).deliveries).toEqual({ sent, not_taken });
});
