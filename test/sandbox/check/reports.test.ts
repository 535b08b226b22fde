import { expect, test } from "bun:test";
import { type CheckFormat, formatCheck } from "../../../sandbox/check/report.ts";
import type { Checked, CheckReport } from "../../../sandbox/check/result.ts";

const HOSTILE = `<script>alert("x")</script> & ]]> \u001b[2J \u0000 ::error::`;

const evidence = { curl: `curl -s '${HOSTILE}'`, status: 200, answer: `${HOSTILE} next` };
const row = (id: string, more: Partial<Checked>): Checked => ({
  id,
  section: "§4.3",
  sentence: `the sentence ${id}`,
  breaks: "money",
  verdict: "holds",
  fact: null,
  momo: null,
  evidence: null,
  ...more,
});

const REPORT: CheckReport = {
  target: "https://pay.example/api/v2",
  startedAt: "2026-11-20 10:00:00",
  requests: 12,
  stopped: { kind: "rate_limited" },
  notes: [{ kind: "pushed", checkoutRequestId: HOSTILE, transaction: null }],
  checked: [
    row("holds", { evidence }),
    row("form", { verdict: "fails", breaks: "shape", fact: { kind: "no_object", status: 404 } }),
    row("fails", { verdict: "fails", fact: { kind: "member", name: "amount", received: HOSTILE }, evidence }),
    row("silent", {
      verdict: "recorded",
      section: "§4.2",
      fact: { kind: "refused", status: 404 },
      momo: { kind: "refused", status: 400 },
      evidence,
    }),
    row("skipped", { verdict: "skipped", section: "§3", fact: { kind: "needs_payment" } }),
  ],
  profile: { base_path: "/api/v2" },
  notImitated: ["fails", "form", "silent"],
};

const SUMMARY =
  "1 of 3 stated sentences hold, 1 silent one recorded, 1 not checked; 12 requests to https://pay.example/api/v2";

const write = (format: CheckFormat, all = false, report = REPORT) => formatCheck(report, format, all);
const headings = (text: string) => text.match(/^(?:What|Where|Not|§|\d+ sentence).*|^ {2}\S .*/gm) ?? [];

test("text has what fails first, what breaks money or clients before the shape, and nothing silent", () => {
  const text = write("text");
  expect(text).toStartWith(`${SUMMARY}\n! a payment was pushed: checkout_request_id <script>`);
  expect(text).toContain("\n! stopped early: the service answers 429: it takes no more requests\n");
  expect(text).toMatch(/^ {6}200 .* ::error:: next$/m);
  expect<unknown>(headings(text)).toEqual([
    "What does not hold, and breaks money or clients",
    expect.stringContaining("  ✗ §4.3 the sentence fails: `amount` is <script>"),
    "What does not hold in the shape of answers",
    "  ✗ §4.3 the sentence form: an answer with 404 is not a JSON object",
    "§3 States and transitions",
    "  - the sentence skipped: it needs a payment: --pay PHONE --amount 1 --account ID",
    "§4.3 List transactions",
    "  ✓ the sentence holds",
    "1 sentence about silent places: see --all",
  ]);
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
});

test("text with --all also has what is silent, and what a profile does not imitate", () => {
  expect<unknown>(headings(write("text", true)).slice(-4)).toEqual([
    "  · the sentence silent: refused with 404 (momo: refused with 400)",
    "Not imitated by momo serve --profile",
    "  - the sentence silent: refused with 404",
    "  - 2 stated sentences that do not hold",
  ]);
});

test("sentences that fail for one cause are one finding, with each request and the answer once", () => {
  const refused = (id: string) => {
    const shown = { curl: `curl ${id}`, status: 403, answer: "no" };
    return row(id, { verdict: "fails", fact: { kind: "answered", status: 403 }, evidence: shown });
  };
  const report: CheckReport = { ...REPORT, checked: [refused("a"), row("b", {}), refused("c")] };
  const [, found = ""] = write("text", false, report).split("money or clients\n");
  expect(found).toBe(`  ✗ §4.3 2 sentences: it was answered with 403
      the sentence a
      the sentence c
      curl a
      curl c
      403 no

§4.3 List transactions
  ✓ the sentence b
`);
  expect(write("junit", false, report)).toContain('failures="2"');
});

test("in text, three sentences or more that were skipped for one reason are one line", () => {
  const skipped = (count: number, fact: Checked["fact"]) =>
    Array.from({ length: count }, (_, id) => row(`${id}`, { verdict: "skipped", fact }));
  const checked = [...skipped(3, { kind: "short_form" }), ...skipped(2, { kind: "one_page" })];
  expect(write("text", false, { ...REPORT, checked }).match(/^ {2}- .*/gm) ?? []).toEqual([
    "  - the sentence 0: there is only one page",
    "  - the sentence 1: there is only one page",
    "  - 3 sentences: the short form leaves it out",
  ]);
});

test.each<[fact: Checked["fact"], momo: Checked["momo"], isLike: boolean]>([
  [{ kind: "fee", formula: "1%" }, { kind: "fee", formula: "1%" }, true],
  [{ kind: "fee", formula: "1%+10" }, { kind: "fee", formula: "1%" }, false],
  [{ kind: "fee", formula: "10%" }, { kind: "fee", formula: "1%" }, false],
  [{ kind: "one_fee", amount: 100, fee: 11 }, { kind: "fee", formula: "1%" }, false],
  [{ kind: "refused", status: 400 }, { kind: "refused", status: 400 }, true],
  [{ kind: "refused", status: 404 }, { kind: "refused", status: 400 }, false],
  [{ kind: "empty_page" }, { kind: "accepted" }, false],
])("where the service does %j and momo %j, like momo is %p", (fact, momo, isLike) => {
  const checked = [row("silent", { verdict: "recorded", fact, momo })];
  expect(write("text", true, { ...REPORT, checked }).includes("(momo: ")).toBe(!isLike);
});

test("JSON has everything as data, and each fact also in words", () => {
  const report = JSON.parse(write("json"));
  expect(report).toMatchObject(JSON.parse(JSON.stringify({ ...REPORT, summary: SUMMARY })));
  expect(report.checked[3].fact).toEqual({ kind: "refused", status: 404, text: "refused with 404" });
  expect(report.checked[3].momo.text).toBe("refused with 400");
  expect(report.stopped.text).toStartWith("the service answers 429");
});

test("JUnit has a case for each sentence, in the class of what it breaks, and an error for an early end", () => {
  const xml = write("junit");
  expect(xml).toContain('tests="6" failures="2" errors="1" skipped="1"');
  expect(xml).toContain('<testcase classname="momo.check money §4.3" name="holds"/>');
  expect(xml).toContain('<skipped message="the sentence skipped: it needs a payment');
  expect(xml.match(/<failure /g)).toHaveLength(2);
});
