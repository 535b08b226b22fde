import { describe, expect, test } from "bun:test";
import { mergeNewestFirst } from "../../../sandbox/console/browser/live-list.ts";
import { answerIn, type CallFilters, fitsCall, NO_CALL_FILTERS } from "../../../sandbox/console/browser/logic/calls.ts";
import { chartOf } from "../../../sandbox/console/browser/logic/chart.ts";
import * as filters from "../../../sandbox/console/browser/logic/filters.ts";
import { findingsByPayment, messageFor } from "../../../sandbox/console/browser/logic/findings.ts";
import { nextPayments } from "../../../sandbox/console/browser/logic/next-payments.ts";
import type { Fault, Finding, LoggedRequest, Rule } from "../../../sandbox/console/browser/wire.ts";

/** What the page computes of lists; test/integration/console has what it shows of them. */

const rowsOf = (...ids: number[]) => ids.map((id) => ({ id, isNew: false }));
const newOf = (...ids: number[]) => ids.map((id) => ({ id, isNew: true }));

test("payments, newest first: new ones go to their places, known ones are replaced, the oldest are dropped", () => {
  const merged = mergeNewestFirst(rowsOf(5, 3, 2), newOf(2, 7, 4, 1), 5);
  expect(merged).toEqual([...newOf(7), ...rowsOf(5), ...newOf(4), ...rowsOf(3), ...newOf(2)]);
  const at = (second: number, id: number) => ({ id, created_at: `2026-11-20 10:00:0${second}` });
  const inOrder = [at(6, 2), at(5, 9), at(5, 8), at(4, 40)];
  expect(mergeNewestFirst([at(5, 8)], [at(4, 40), at(6, 2), at(5, 9)], 9)).toEqual(inOrder);
});

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
});

test("each payment of a finding has it; only those of an example have its words", () => {
  const example = { message: "shown is charged twice", request_ids: [7, 8], checkout_request_ids: ["first", "shown"] };
  const named = { checkout_request_ids: ["first", "shown", "more"], examples: [example] };
  const finding = named as unknown as Finding;
  const found = findingsByPayment([finding]);
  expect([...found.keys()]).toEqual(["first", "shown", "more"]);
  const words = ["first", "shown", 8, "more", 9].map((about) => messageFor(finding, about));
  expect(words).toEqual([...Array(3).fill(example.message), null, null]);
});

test("an answer whose client was gone is lost, and not of its class; a search finds an answer that is only text", () => {
  const answer = '{"message":"512 payments';
  const poll = { method: "POST", target: "/v2/status.php", body: null, status: 299, delivered: false, answer };
  const fits = (filters: Partial<CallFilters>) =>
    fitsCall(poll as unknown as LoggedRequest, { ...NO_CALL_FILTERS, ...filters });
  const cases = [{ answer: "lost" }, { answer: "2xx" }, { search: '"message":"512' }, { search: " " }, { search: "x" }];
  expect(cases.map(fits)).toEqual([true, false, true, true, false]);
  expect([poll, { ...poll, delivered: true }].map(answerIn)).toEqual(["299, lost", "299"]);
});

describe("the chart", () => {
  const nowMs = Date.UTC(2026, 10, 20, 7, 0, 30); // 10:00:30 in Nairobi
  const chartSince = (created_at: string) => chartOf([{ created_at, status: "failed" }], nowMs);

  test("has a place for a payment whose clock is ahead, such as that of another server", () => {
    const last = chartSince("2026-11-20 10:00:35").buckets.at(-1);
    expect(last).toMatchObject({ fromMs: nowMs + 5000, counts: { failed: 1, completed: 0 } });
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
    const { bucketMs, most, buckets } = chartSince(created_at);
    expect([bucketMs, most]).toEqual([seconds * 1000, 1]);
    const last = buckets.at(-1)?.fromMs ?? 0;
    expect(last <= nowMs && nowMs < last + bucketMs).toBe(true);
  });
});

test("what is left for the next payments is in its order, without what is never reached", () => {
  const rule: Rule = { id: 1, match: {}, outcome: "wrong_pin" };
  const others: Rule[] = [
    { ...rule, id: 2, match: { phone: "254712345678" }, outcome: "expired" },
    { ...rule, id: 3, outcome: "cancelled", times: 1 },
    { ...rule, id: 4, outcome: "completed" },
    { ...rule, id: 5, times: 1 },
  ];
  const lost = { kind: "disconnect", path: "/stkpush.php", probability: 1 } as const;
  const faults: Fault[] = [
    { ...lost, id: 1, path: "/status.php" },
    { ...lost, id: 2, probability: 0.5 },
    { ...lost, id: 3, kind: "rate", per_minute: 5 },
    { ...lost, id: 4, times: 1 },
    { ...lost, id: 5, kind: "error", status: 503, times: 2 },
    { id: 6, kind: "disconnect", probability: 1 },
    { ...lost, id: 7, times: 9 },
  ];
  expect(nextPayments([{ ...rule, times: 2 }, ...others], faults)).toMatchObject([
    { path: "/faults/4", words: "The next stkpush.php request: the answer is lost" },
    { path: "/faults/5", words: "Then 2 stkpush.php requests: HTTP 503" },
    { path: "/rules/1", words: "The next 2 payments: wrong_pin" },
    { path: "/rules/3", words: "Then 1 payment: cancelled" },
  ]);
});
