import { expect, test } from "bun:test";
import { auditClient } from "../../../cli/serving/client-audit.ts";
import type { AuditReport } from "../../../sandbox/audit/audit.ts";
import { Payment, type Push } from "../../../sandbox/audit/facts/payment.ts";
import { PaymentBook } from "../../../sandbox/audit/facts/payment-book.ts";
import { FindingBook } from "../../../sandbox/audit/finding.ts";
import { formatReport, REPORT_FORMATS } from "../../../sandbox/audit/report.ts";
import type { FindingKind } from "../../../sandbox/audit/rules.ts";
import type { Severity } from "../../../sandbox/audit/severity.ts";
import { TallyBook } from "../../../sandbox/audit/tally.ts";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { createManualClock } from "../../support/manual-clock.ts";
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

const MOST_PAYMENTS = 2000;
const MOST_WAITING = 8000;

const newPayment = (id: number, isOpen: boolean) => {
  const ids = { id, checkoutRequestId: `ws_${id}`, merchantRequestId: "", merchantId: 1 };
  const payment = new Payment(
    { ...ids, paymentAccountId: 1, phone: "254712345678", amountCents: 100, reference: null },
    0,
  );
  if (isOpen) payment.push = {} as Push;
  return payment;
};

test("the newest 2,000 payments are watched, whatever their numbers are: each replica has blocks of its own", () => {
  const forgotten: number[] = [];
  const book = new PaymentBook(
    () => {},
    ({ number }) => void forgotten.push(number),
  );
  const numberOf = (index: number) => (index % 2) * 100 * MOST_PAYMENTS + Math.floor(index / 2) + 1;
  for (let index = 0; index < MOST_PAYMENTS + 1; index += 1) book.add(newPayment(numberOf(index), false));
  expect(forgotten).toEqual([numberOf(0)]);
  expect([book.byNumber(numberOf(0)), book.byNumber(numberOf(1))?.number]).toEqual([undefined, numberOf(1)]);
  expect([book.wasForgotten(numberOf(0)), [...book.all()].length]).toEqual([true, MOST_PAYMENTS]);
});

test("8,000 older payments wait for their client to learn how they ended, and 300,000 take no more room", () => {
  const forgotten: number[] = [];
  const book = new PaymentBook(
    () => {},
    ({ number }) => void forgotten.push(number),
  );
  for (let number = 1; number <= 300_000; number += 1) book.add(newPayment(number, true));
  expect([...book.all()]).toHaveLength(MOST_PAYMENTS + MOST_WAITING);
  expect(forgotten).toHaveLength(300_000 - MOST_PAYMENTS - MOST_WAITING);
  const oldest = book.byNumber(forgotten.length + 1);
  if (!oldest) throw new Error("the oldest is still there");
  oldest.end = { status: "completed", atMs: 0, order: 0 };
  book.settle(oldest);
  expect(book.byNumber(oldest.number)).toBe(oldest);
  oldest.learned = 1;
  book.settle(oldest);
  expect([book.byNumber(oldest.number), book.byCheckoutId(oldest.checkoutRequestId)]).toEqual([undefined, undefined]);
});

test("a clock that cannot move to the end of the prompts loses no report", async () => {
  const clock = createVirtualClock(createManualClock(Date.UTC(9999, 11, 30) - 5));
  const { finish } = auditClient({
    basePaths: ["/v2"],
    inputs: () => new Map(),
    hasWebhook: () => false,
    log: { subscribe: () => () => {}, nextPlace: () => 1 },
    service: { subscribe: () => () => {}, resolver: { resolveDue: async () => {} } },
    clock,
    stopwatch: () => 0,
    promptTimeoutMs: 60_000,
    settleDeliveries: async () => {},
  } as unknown as Parameters<typeof auditClient>[0]);
  expect((await finish({ hosts: [] } as never)).findings).toBeArray();
  expect(clock.nowMs()).toBe(Date.UTC(9999, 11, 30));
});
