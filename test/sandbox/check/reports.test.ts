import { describe, expect, test } from "bun:test";
import { formatCheck } from "../../../sandbox/check/report.ts";
import { type Checked, type CheckReport, isLikeMomo } from "../../../sandbox/check/result.ts";

const HOSTILE = `<script>alert("x")</script> & ]]> \u001b[2J \u0000 ::error::`;

const evidence = { curl: `curl -s '${HOSTILE}'`, status: 200, answer: `${HOSTILE} next` };
const row = (id: string, more: Partial<Checked>): Checked => ({
  ...{ id, section: "§4.3", sentence: `the sentence ${id}`, verdict: "holds", seen: "", momo: null, evidence: null },
  ...more,
});

const REPORT: CheckReport = {
  target: "https://pay.example/api/v2",
  startedAt: "2026-11-20 10:00:00",
  requests: 12,
  stopped: "the service answers 429",
  notes: [`the clock ${HOSTILE}`],
  checked: [
    row("holds", { evidence }),
    row("fails", { verdict: "fails", seen: HOSTILE, evidence }),
    row("silent", { verdict: "recorded", section: "§4.2", seen: "404", momo: "400", evidence }),
    row("skipped", { verdict: "skipped", section: "§3", seen: "there is no payment" }),
  ],
  profile: { base_path: "/api/v2" },
  notImitated: ["fails", "silent"],
};

const SUMMARY =
  "1 of 2 stated sentences hold, 1 silent one recorded, 1 not checked; 12 requests to https://pay.example/api/v2";

const write = (format: Parameters<typeof formatCheck>[1]) => formatCheck(REPORT, format, "1.2.3");

test("text is a tree of sections in the order of the specification, with a mark for each sentence", () => {
  const text = write("text");
  expect(text).toStartWith(`${SUMMARY}\n! the clock`);
  expect(text).toContain("\n! stopped early: the service answers 429\n");
  expect(text).toMatch(/^ {6}200 .* ::error:: next$/m);
  expect<unknown>(text.match(/^§.*|^ {2}\S the.*/gm)).toEqual([
    ...["§3 States and transitions", "  - the sentence skipped: there is no payment"],
    ...["§4.2 Check payment status", "  · the sentence silent: 404 (momo: 400)"],
    ...[
      "§4.3 List transactions",
      "  ✓ the sentence holds",
      expect.stringContaining("  ✗ the sentence fails: <script>"),
    ],
    "  - the sentence silent: 404",
  ]);
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
});

test("sentences that fail for one cause are one finding, with each request and the answer once", () => {
  const refused = (id: string) => {
    const shown = { curl: `curl ${id}`, status: 403, answer: "no" };
    return row(id, { verdict: "fails", seen: "it was answered with 403", evidence: shown });
  };
  const report = { ...REPORT, checked: [refused("a"), row("b", {}), refused("c")], notImitated: ["a", "c"] };
  const [, found = ""] = formatCheck(report, "text", "1").split("§4.3 List transactions\n");
  expect(found).toBe(`  ✗ 2 sentences: it was answered with 403
      the sentence a
      the sentence c
      curl a
      curl c
      403 no
  ✓ the sentence b

Not imitated by momo serve --profile
  - 2 stated sentences that do not hold
`);
  expect(formatCheck(report, "html", "1").match(/<article>/g)).toHaveLength(1);
  expect(formatCheck(report, "github", "1")).toContain("the sentence a, and 1 more: it was answered with 403%0A");
  expect(formatCheck(report, "junit", "1")).toContain('failures="2"');
});

test("in text, three sentences or more that were skipped for one reason are one line", () => {
  const skipped = (count: number, seen: string) =>
    Array.from({ length: count }, (_, id) => row(`${id}`, { verdict: "skipped", seen }));
  const text = formatCheck({ ...REPORT, checked: [...skipped(3, "no key"), ...skipped(2, "no list")] }, "text", "1");
  expect<unknown>(text.match(/^ {2}- .*/gm)).toEqual([
    ...["  - 3 sentences: no key", "  - the sentence 0: no list", "  - the sentence 1: no list"],
  ]);
});

test.each<[seen: string, momo: string | null, verdict: Checked["verdict"], isLike: boolean]>([
  ["400, invalid", "400", "recorded", true],
  ["40", "400", "recorded", false],
  ["404", "400", "recorded", false],
  ["404", "400", "skipped", true],
  ["404", null, "recorded", true],
])("where the service answers %p and momo %p, %s: like momo is %p", (seen, momo, verdict, isLike) => {
  expect(isLikeMomo(row("silent", { seen, momo, verdict }))).toBe(isLike);
});

test("JSON has everything, with the summary", () => {
  expect(JSON.parse(write("json"))).toEqual({ summary: SUMMARY, ...REPORT });
});

test("JUnit has a case for each sentence, in the class of its section", () => {
  const xml = write("junit");
  expect(xml).toContain('tests="4" failures="1" errors="0" skipped="1"');
  expect(xml).toContain('<testcase classname="momo.check §4.3" name="holds"/>');
  expect(xml).toContain('<skipped message="the sentence skipped: there is no payment"/>');
  expect(xml.match(/<failure /g)).toHaveLength(1);
});

test("for GitHub, what fails is an error, and what is recorded a notice", () => {
  expect<unknown>(write("github").match(/^::\w+ title=[^:]*/gm)).toEqual([
    ...["::notice title=momo check", "::error title=momo check%3A fails", "::notice title=momo check%3A silent"],
  ]);
});

describe("the page", () => {
  test("loads nothing, and shows what a service answered as text", () => {
    const page = write("html");
    expect(page).not.toMatch(/<script|<link|<img|\bsrc=|url\(|\bon\w+=|@import/);
    expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  test("says what holds, what does not, what shows it, and what the service is like", () => {
    const page = write("html");
    for (const part of [
      "<strong>1</strong> of 2 stated",
      "<strong>1</strong> do not hold",
      "<strong>1</strong> not checked",
      "<strong>12</strong> requests",
      "stopped early: the service answers 429",
      "<td>404</td><td>400</td>",
      "What does not hold",
      "What it is like",
      "<details open><summary><b>§4.3</b>",
      "<details><summary><b>§4.2</b>",
      "curl -s",
      "base_path",
    ])
      expect(page).toContain(part);
    const checked = [...Array.from({ length: 299 }, (_, id) => row(`${id}`, {})), row("fails", { verdict: "fails" })];
    expect(formatCheck({ ...REPORT, checked }, "html", "1")).toContain('aria-label="99 %"');
  });
});
