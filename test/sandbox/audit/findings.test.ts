import { expect, test } from "bun:test";
import type { AuditReport } from "../../../sandbox/audit/audit.ts";
import { FindingBook } from "../../../sandbox/audit/finding.ts";
import { formatReport, REPORT_FORMATS } from "../../../sandbox/audit/report.ts";
import type { FindingKind } from "../../../sandbox/audit/rules.ts";
import type { Severity } from "../../../sandbox/audit/severity.ts";
import { TallyBook } from "../../../sandbox/audit/tally.ts";
import { kindOf } from "./audited-client.ts";

const reportOf = (book: FindingBook): AuditReport => ({
  tally: new TallyBook().show(0, 0),
  findings: book.list(),
  accepted: 0,
  omitted: book.omitted,
});

test("findings are listed by severity; of those, second charges first, and the others by time", () => {
  const book = new FindingBook();
  const add = (kind: FindingKind, group: string, atMs: number, severity?: Severity) =>
    book.open(
      kindOf(kind),
      { group, ...(severity && { severity }) },
      { message: `${atMs}`, requestIds: [], payment: null, atMs },
    );
  add("unknown_member", "a", 0);
  add("polls_too_fast", "a", 10);
  add("unknown_id", "a", 20);
  add("polls_too_fast", "b", 30);
  add("ignores_final", "a", 50);
  add("end_not_learned", "a", 40);
  add("nothing_accepted", "", 60, "note");
  add("charges_twice", "a", 70);
  add("charges_twice", "a", 80, "warning");
  expect(book.list().map(({ kind, message }) => `${kind} ${message}`)).toEqual([
    "nothing_accepted 60",
    "charges_twice 70",
    "end_not_learned 40",
    "ignores_final 50",
    "charges_twice 80",
    "polls_too_fast 10",
    "unknown_id 20",
    "polls_too_fast 30",
    "unknown_member 0",
  ]);
});

test("equal findings are one with a count and three examples, in every form, however many there are", () => {
  const book = new FindingBook();
  const kind = kindOf("end_not_learned");
  for (let number = 1; number <= 20_000; number += 1) {
    const payment = { checkoutRequestId: `ws_CO_${number}`, reference: `ORDER-${number}` };
    const explanation = { message: `payment ${number}`, requestIds: [number], payment, atMs: number };
    const kept = book.find(kind, { group: "" });
    if (kept) kept.repeat(kept.shows(payment) ? explanation : null);
    else book.open(kind, { group: "" }, explanation);
  }
  const [finding, ...more] = book.list();
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ count: 20_000, message: "payment 1", checkout_request_id: "ws_CO_1" });
  expect(finding?.request_ids).toHaveLength(50);
  expect(finding?.checkout_request_ids).toHaveLength(50);
  expect(finding?.examples).toMatchObject(
    [1, 2, 3].map((number) => ({ reference: `ORDER-${number}`, message: `payment ${number}` })),
  );
  for (const format of REPORT_FORMATS) {
    const text = formatReport(reportOf(book), format);
    expect(text).toMatch(/20000|20,000/);
    for (const id of ["ws_CO_1", "ws_CO_2", "ws_CO_3"]) expect(text).toContain(id);
    expect(text.length).toBeLessThan(20_000);
  }
});

test.each([
  ["of another payment, after more mistakes than there is room for requests", 60, "ws_CO_2"],
  ["with the same id, as with a seed after a reset", 1, "ws_CO_1"],
])("a finding also names a mistake %s", (_when, count, id) => {
  const kind = kindOf("polls_too_fast");
  const explanationOf = (checkoutRequestId: string, reference: string, number: number) => {
    const payment = { checkoutRequestId, reference };
    return { message: "", requestIds: [number], payment, atMs: 0 };
  };
  const book = new FindingBook();
  const kept = book.open(kind, { group: "" }, explanationOf("ws_CO_1", "ORDER-1", 1));
  for (let number = 2; number <= count; number += 1) kept?.repeat(explanationOf("ws_CO_1", "ORDER-1", number));
  expect(kept?.shows({ checkoutRequestId: "ws_CO_1", reference: "ORDER-1" })).toBe(count < 50);
  expect(kept?.shows({ checkoutRequestId: id, reference: "ORDER-2" })).toBe(true);
  kept?.repeat(explanationOf(id, "ORDER-2", 99));
  const [finding] = book.copy().list();
  expect(finding?.examples.map(({ reference }) => reference)).toEqual(["ORDER-1", "ORDER-2"]);
  expect(formatReport(reportOf(book), "github")).toContain("reference ORDER-2");
});

test("an annotation of a single mistake names its payment and its request", () => {
  const book = new FindingBook();
  const payment = { checkoutRequestId: "ws_CO_1", reference: "ORDER-1" };
  book.open(kindOf("polls_too_fast"), { group: "" }, { message: "Too fast.", requestIds: [7], payment, atMs: 0 });
  expect(formatReport(reportOf(book), "github")).toContain("ws_CO_1; reference ORDER-1; request 7");
});

test("a client makes no more payments one by one than were started", () => {
  const tally = new TallyBook();
  tally.started = 2;
  expect([1, 5].map((oneByOne) => tally.show(0, oneByOne).payments.one_by_one)).toEqual([1, 2]);
});
