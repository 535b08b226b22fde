import { describe, expect, test } from "bun:test";
import { answerIn, type CallFilters, fitsCall, NO_CALL_FILTERS } from "../../../sandbox/console/browser/logic/calls.ts";
import { outcomeChart } from "../../../sandbox/console/browser/logic/chart.ts";
import * as filters from "../../../sandbox/console/browser/logic/filters.ts";
import { has, mergeNewestFirst } from "../../../sandbox/console/browser/logic/merge.ts";
import { assignChips, choosePhone, type PhoneState } from "../../../sandbox/console/browser/logic/phone.ts";
import { timelineOf } from "../../../sandbox/console/browser/logic/timeline.ts";
import type { Finding, LoggedRequest, Transaction } from "../../../sandbox/console/browser/wire.ts";

/** What the page computes of lists; test/integration/console has what it shows of them. */

const rowsOf = (...ids: number[]) => ids.map((id) => ({ id, isNew: false }));
const newOf = (...ids: number[]) => ids.map((id) => ({ id, isNew: true }));

test("payments, newest first: new ones go to their places, known ones are replaced, the oldest are dropped", () => {
  const merged = mergeNewestFirst(rowsOf(5, 3, 2), newOf(2, 7, 4, 1), 5);
  expect(merged).toEqual([...newOf(7), ...rowsOf(5), ...newOf(4), ...rowsOf(3), ...newOf(2)]);
  expect([10, 9, 8, 4, 1, 0].filter((id) => has(rowsOf(9, 7, 4, 1), { id }))).toEqual([9, 4, 1]);
  const at = (second: number, id: number) => ({ id, created_at: `2026-11-20 10:00:0${second}` });
  const inOrder = [at(6, 2), at(5, 9), at(5, 8), at(4, 40)];
  expect(mergeNewestFirst([at(5, 8)], [at(4, 40), at(6, 2), at(5, 9)], 9)).toEqual(inOrder);
});

const PAYMENT = {
  ...{
    merchant_id: 1,
    id: 1,
    reference: null,
    kind: "api",
    type: "API",
    status: "completed",
    amount: 1,
    fee_amount: 0,
  },
  ...{ fee_deducted: true, is_deposit: false, credit_target: null, payment_link_id: null, phone: "254712345678" },
  ...{ transaction_code: null, momo_receipt_number: null, result_code: 0, result_desc: "", completed_at: null },
  ...{ checkout_request_id: "ws_CO_1_A", merchant_request_id: "ws_MR_1_A", created_at: "2026-11-20 10:00:00" },
} satisfies Transaction;

describe("the filters of payments (§4.3)", () => {
  test("empty ones are not sent, nor are spaces around a value", () => {
    const given = filters.givenOf(filters.NO_FILTERS, {
      search: "  tea 1& ",
      id: " ",
      type: "",
      toString: "x",
      merchant: "2",
    });
    expect(filters.queryOf(given).toString()).toBe("search=tea+1%26&ends=true");
    const searchOf = (search: string) => filters.queryOf({ ...filters.NO_FILTERS, search }).get("search");
    const typed = ["0764 672 239", "+254 764 67", "254 7", "0001 0002", "ORDER 12", "764 672 239"];
    expect(typed.map(searchOf)).toEqual(["0764672239", "+25476467", "2547", "0001 0002", "ORDER 12", "764 672 239"]);
    const isFiltered = (query: Record<string, string>) =>
      filters.isFiltered(filters.givenOf(filters.NO_FILTERS, query));
    expect([{ search: " " }, { toString: "x" }, { id: "1" }].map(isFiltered)).toEqual([false, false, true]);
  });

  const CASES: [given: Partial<filters.Filters>, isShown: boolean | null][] = [
    [{ type: "api", id: " 1 ", search: " " }, true],
    [{ date_from: "2026-11-20", date_to: "2026-11-20" }, true],
    [{ date_from: "2026-11-21" }, false],
    [{ date_to: "2026-11-19" }, false],
    [{ search: "ORDER" }, null],
    [{ search: "ORDER", status: "failed" }, false],
  ];
  test.each(CASES)("%j on a new payment: %p; null if only the server knows", (given, isShown) => {
    expect(filters.belongs(PAYMENT, { ...filters.NO_FILTERS, ...given })).toBe(isShown);
  });
});

describe("the filters of requests", () => {
  const poll = {
    method: "POST",
    target: "/v2/status.php",
    body: '{"checkout_request_id":"ws_CO_1"}',
    answer: {},
    status: 299,
    delivered: true,
  };
  const push = {
    ...poll,
    target: "/v2/stkpush.php?x=/y.php",
    body: "{",
    answer: { checkout_request_id: "ws_CO_2" },
    status: null,
    delivered: false,
  };
  const requests = [poll, push] as unknown as LoggedRequest[];

  test("an answer whose client was gone is lost, and not of its class", () => {
    const request = { ...poll, delivered: false } as unknown as LoggedRequest;
    const fits = (answer: string) => fitsCall(request, { ...NO_CALL_FILTERS, answer });
    expect([fits("lost"), fits("2xx")]).toEqual([true, false]);
    expect([poll, request, push].map((one) => answerIn(one)).join(" | ")).toBe("299 | 299, lost | lost");
  });

  test("a search finds an answer that is only text as the client got it", () => {
    const request = { ...poll, answer: '{"message":"512 payments' } as unknown as LoggedRequest;
    expect(fitsCall(request, { ...NO_CALL_FILTERS, search: '"message":"512' })).toBe(true);
  });

  const CASES: [given: Partial<CallFilters>, found: number[]][] = [
    [{ answer: "lost" }, [1]],
    [{ answer: "2xx" }, [0]],
    [{ answer: "4xx" }, []],
    [{ search: "POST /V2/stk" }, [1]],
    [{ search: " ws_co_1 " }, [0]],
    [{ search: " " }, [0, 1]],
    [{ finding: "ignores_final" }, [0]],
    [{ finding: "wrong_method" }, []],
  ];
  test.each(CASES)("%j", (given, found) => {
    const findings = ["charges_twice", "ignores_final"].map((kind) => ({ kind }) as Finding);
    const fits = [findings, []].map((of, index) =>
      fitsCall(requests[index] as LoggedRequest, { ...NO_CALL_FILTERS, ...given }, of),
    );
    expect([0, 1].filter((index) => fits[index])).toEqual(found);
  });
});

describe("the chart", () => {
  const nowMs = Date.UTC(2026, 10, 20, 7, 0, 30); // 10:00:30 in Nairobi

  test("has a place for a payment whose clock is ahead, such as that of another server", () => {
    const { buckets } = outcomeChart([{ ...PAYMENT, created_at: "2026-11-20 10:00:35" }], nowMs);
    expect(buckets.at(-1)).toMatchObject({ fromMs: nowMs + 5000, total: 1 });
  });

  test.each([
    ["2026-11-20 09:59:43", 1],
    ["2026-11-20 09:59:42", 2],
    ["2026-11-20 09:57:00", 5],
    ["2026-11-20 09:40:00", 30],
    ["2026-11-20 07:00:00", 300],
    ["2026-11-19 16:00:00", 1800],
    ["2026-10-10 10:00:00", 86_400],
    ["2020-01-01 00:00:00", 54 * 86_400],
  ])("reaches from the first payment at %s until now, in the shortest round interval: %d s", (created_at, seconds) => {
    const { bucketMs, most, buckets } = outcomeChart([{ ...PAYMENT, created_at }], nowMs);
    expect([bucketMs, most]).toEqual([seconds * 1000, 1]);
    const last = buckets.at(-1)?.fromMs ?? 0;
    expect(last <= nowMs && nowMs < last + bucketMs).toBe(true);
  });
});

describe("the line of a payment, to scale", () => {
  const startMs = Date.UTC(2026, 10, 20, 7);
  const request = (target: string, afterMs: number, interval_ms: number | null, status: number | null = 200) => ({
    ...{ target: `/v2/${target}`, at_ms: startMs + afterMs, interval_ms, status, delivered: status !== null },
  });
  const line = (status: string, requests: object[], at_ms: number | null, webhooks: object[] = []) =>
    timelineOf({
      transaction: { status, created_at: "2026-11-20 10:00:00" },
      prompt: { expires_at_ms: startMs + 60_000 },
      decided_by: { at_ms },
      requests,
      webhooks,
    } as unknown as Parameters<typeof timelineOf>[0]);

  test("has the deliveries of webhooks, and says what each request was answered", () => {
    const requests = [
      request("stkpush.php", -400, null, 500),
      request("status.php", 600, null, 429),
      request("status.php", 1600, 1000, null),
    ];
    const attempt = (afterMs: number, status: number | null) => ({ at_ms: startMs + afterMs, status });
    const webhooks = [{ attempts: [attempt(39_600, 503), attempt(69_600, null)] }, { attempts: [attempt(9600, 200)] }];
    const { marks, lengthMs, endsAt } = line("completed", requests, null, webhooks);
    expect(marks.map(({ what, offsetMs, words, pace }) => `${what} ${offsetMs}: ${words}, ${pace}`)).toEqual([
      ...["poll 1000: poll, HTTP 429, right", "poll 2000: poll, HTTP lost, early"],
      ...["webhook 40000: webhook, HTTP 503, right", "webhook 70000: webhook, no answer, right"],
      "webhook 10000: webhook, HTTP 200, right",
    ]);
    // Nobody knows when it ended, so it ended with its prompt.
    expect([Math.round((endsAt ?? 0) * lengthMs), Math.round(lengthMs)]).toEqual([60_400, 77_000]);
  });

  test("has the last 200 polls and the last 200 deliveries, and at least ten seconds", () => {
    const many = Array.from({ length: 201 }, (_, index) => index);
    const polls = many.map((afterMs) => request("status.php", afterMs, 1000));
    const { marks, lengthMs } = line("completed", polls, startMs, [{ attempts: polls }]);
    expect(marks.map(({ offsetMs }) => offsetMs)).toEqual([...many.slice(1), ...many.slice(1)]);
    expect(lengthMs).toBe(10_000);
  });

  test("a poll is early before 2,850 ms, and late after 5,150 ms", () => {
    const polls = [2849, 2850, 5150, 5151].map((intervalMs) => request("status.php", 9000, intervalMs));
    const { marks } = line("pending", [request("stkpush.php", 0, null), ...polls], null);
    expect(marks.map(({ pace }) => pace)).toEqual(["early", "right", "right", "late"]);
  });

  test("of a pending payment ends with its prompt, and has no end if a person decides", () => {
    expect(line("pending", [], null)).toMatchObject({ lengthMs: 60_000, expiresAt: 1, endsAt: null, marks: [] });
    // A decided end, and a poll, after the prompt; a poll that the clock of another server places before the start.
    const polls = [request("status.php", -500, null), request("status.php", 90_000, null)];
    expect(line("pending", [], startMs + 75_000)).toMatchObject({ lengthMs: 75_000, expiresAt: 0.8, endsAt: 1 });
    expect(line("pending", polls, null)).toMatchObject({ lengthMs: 90_000, marks: [{ at: 0 }, { at: 1 }] });
  });
});

const idle = (phone: string) => ({ phone, openPrompts: 0, hasNote: false });
const rings = (phone: string) => ({ phone, openPrompts: 1, hasNote: false });
const noted = (phone: string) => ({ phone, openPrompts: 0, hasNote: true });

type Phone = string | null;
const HANDSET: [name: string, shown: Phone, phones: PhoneState[], picked: Phone, next: Phone][] = [
  ["there are no phones", null, [], null, null],
  ["none rings: the last one", null, [idle("a"), idle("b")], null, "b"],
  ["none rings: the shown one stays", "a", [idle("a"), idle("b")], null, "a"],
  ["the first one that rings", "a", [noted("a"), rings("b"), rings("c")], null, "b"],
  ["the shown one, while it rings", "c", [idle("a"), rings("b"), rings("c")], null, "c"],
  ["the picked one, before all others", "a", [rings("a"), idle("b")], "b", "b"],
];
test.each(HANDSET)("the phone on the handset: %s", (_, shown, phones, picked, next) => {
  expect(choosePhone(shown, phones, picked)).toBe(next);
});

const CHIPS: [name: string, before: Phone[], phones: PhoneState[], chips: Phone[]][] = [
  [
    "those that ring, those with a note, the last ones",
    [],
    [idle("a"), rings("b"), noted("c"), idle("d")],
    ["b", "c", "d"],
  ],
  ["an empty place, and a phone that keeps its own", ["a", "b", "c"], [rings("c"), idle("a")], ["a", null, "c"]],
  ["it keeps it also if another one begins to ring", ["a", "b"], [rings("a"), rings("b"), rings("c")], ["a", "b"]],
  ["an idle one makes room", ["a", "b"], [idle("a"), rings("b"), rings("c")], ["c", "b"]],
];
test.each(CHIPS)("the phones beside it: %s", (_, before, phones, chips) => {
  expect(assignChips(before, phones, chips.length)).toEqual(chips);
});
