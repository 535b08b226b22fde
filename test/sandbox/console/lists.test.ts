import { describe, expect, test } from "bun:test";
import { BUCKETS, outcomeChart } from "../../../sandbox/console/browser/logic/chart.ts";
import { csvOf } from "../../../sandbox/console/browser/logic/csv.ts";
import {
  belongs,
  filtersOf,
  inForce,
  isWithin,
  NO_FILTERS,
  parseSpan,
  queryOf,
} from "../../../sandbox/console/browser/logic/filters.ts";
import { appendUnknown, mergeNewestFirst } from "../../../sandbox/console/browser/logic/merge.ts";
import { visibleRange } from "../../../sandbox/console/browser/logic/windowing.ts";
import type { Transaction } from "../../../sandbox/console/browser/wire.ts";

const row = (id: number, name = "") => ({ id, name });

describe("the calls, oldest first", () => {
  const known = [row(1), row(2), row(3)];

  test("what the server sends again after a reconnect is shown once", () => {
    expect(appendUnknown(known, [row(2), row(3), row(4)], 10)).toEqual([...known, row(4)]);
    expect(appendUnknown(known, known, 10)).toEqual(known);
    expect(appendUnknown([], known, 10)).toEqual(known);
  });

  test("beyond the bound the oldest are left out", () => {
    expect(appendUnknown(known, [row(4), row(5)], 3)).toEqual([row(3), row(4), row(5)]);
  });
});

describe("a list that grows from the top", () => {
  test("takes in what is new, newest first, and replaces what is known", () => {
    const rows = [row(3), row(2), row(1)];
    expect(mergeNewestFirst(rows, [row(2, "changed"), row(4), row(5)], 10)).toEqual([
      row(5),
      row(4),
      row(3),
      row(2, "changed"),
      row(1),
    ]);
  });

  test("finds the place of what comes late, or from further down", () => {
    expect(mergeNewestFirst([row(5), row(3)], [row(4), row(1)], 10).map(({ id }) => id)).toEqual([5, 4, 3, 1]);
  });

  test("forgets the oldest beyond its bound", () => {
    expect(mergeNewestFirst([row(2), row(1)], [row(3)], 2).map(({ id }) => id)).toEqual([3, 2]);
    expect(mergeNewestFirst([], [row(1), row(2), row(3)], 2).map(({ id }) => id)).toEqual([3, 2]);
  });
});

describe("only what is in view is drawn", () => {
  test("with some rows around it, whatever the length of the list", () => {
    const { from, to } = visibleRange(200_000, 600, 40, 10_000);
    expect([from, to]).toEqual([5000 - 12, 5000 + 15 + 12]);
  });

  test("from the first to the last", () => {
    expect(visibleRange(0, 600, 40, 10_000)).toEqual({ from: 0, to: 27 });
    expect(visibleRange(399_400, 600, 40, 10_000)).toEqual({ from: 9973, to: 10_000 });
    expect(visibleRange(0, 600, 40, 0)).toEqual({ from: 0, to: 0 });
  });

  test("a list that became shorter than where somebody was still shows its end", () => {
    expect(visibleRange(200_000, 600, 40, 20)).toEqual({ from: 0, to: 20 });
  });
});

const transaction = (changes: Partial<Transaction>): Transaction => ({
  merchant_id: 1,
  id: 1,
  reference: null,
  kind: "api",
  type: "API",
  status: "completed",
  amount: 1,
  fee_amount: 0,
  fee_deducted: true,
  is_deposit: false,
  credit_target: null,
  payment_link_id: null,
  phone: "254712345678",
  transaction_code: null,
  momo_receipt_number: null,
  checkout_request_id: "ws_CO_1_A",
  merchant_request_id: "ws_MR_1_A",
  result_code: 0,
  result_desc: "",
  created_at: "2026-11-20 10:00:00",
  completed_at: null,
  ...changes,
});

describe("the API's filters (§4.3)", () => {
  test("empty ones are not sent", () => {
    expect(queryOf({ ...NO_FILTERS, status: "failed", search: "07 1&" }).toString()).toBe(
      "status=failed&search=07+1%26",
    );
  });

  test("an address holds them, and what else stands there is left out", () => {
    const query = { status: "failed", span: "1-2", merchant: "2", x: "y" };
    expect(inForce(filtersOf(query))).toEqual({ status: "failed", span: "1-2" });
    expect(queryOf(filtersOf(query)).toString()).toBe("status=failed");
  });

  test("a stretch of the chart has its first instant, and not the one after its last", () => {
    const atMs = Date.UTC(2026, 10, 20, 7);
    const span = parseSpan(`${atMs}-${atMs + 1000}`);
    expect(span && isWithin({ created_at: "2026-11-20 10:00:00" }, span)).toBe(true);
    expect(span && isWithin({ created_at: "2026-11-20 10:00:01" }, span)).toBe(false);
    for (const text of ["", "1", "a-b", "1-2-3", "-1-2"]) expect(parseSpan(text)).toBeNull();
  });

  test("what arrives belongs into the list where every filter fits", () => {
    const one = transaction({});
    expect(belongs(one, NO_FILTERS)).toBe(true);
    expect(belongs(one, { ...NO_FILTERS, status: "failed" })).toBe(false);
    expect(belongs(one, { ...NO_FILTERS, type: "web" })).toBe(false);
    expect(belongs(one, { ...NO_FILTERS, id: "2" })).toBe(false);
    expect(belongs(one, { ...NO_FILTERS, date_from: "2026-11-20", date_to: "2026-11-20" })).toBe(true);
    expect(belongs(one, { ...NO_FILTERS, date_from: "2026-11-21" })).toBe(false);
    expect(belongs(one, { ...NO_FILTERS, date_to: "2026-11-19" })).toBe(false);
  });

  test("what the search finds only the server can tell", () => {
    expect(belongs(transaction({}), { ...NO_FILTERS, search: "ORDER" })).toBeNull();
    expect(belongs(transaction({}), { ...NO_FILTERS, search: "ORDER", status: "failed" })).toBe(false);
  });
});

describe("the chart of outcomes", () => {
  const nowMs = Date.UTC(2026, 10, 20, 7, 0, 30); // 10:00:30 in Nairobi

  test("counts every payment once, where it began", () => {
    const chart = outcomeChart(
      [transaction({}), transaction({ status: "failed" }), transaction({ created_at: "2026-11-20 10:00:29" })],
      nowMs,
    );
    expect(chart.buckets).toHaveLength(BUCKETS);
    expect(chart.bucketMs).toBe(1000);
    expect(chart.most).toBe(2);
    expect(chart.buckets.reduce((sum, { total }) => sum + total, 0)).toBe(3);
    expect(chart.buckets.find(({ total }) => total === 2)?.counts).toMatchObject({ completed: 1, failed: 1 });
  });

  test("takes the finest stretches that reach back to the first, and ends now", () => {
    const spans: readonly (readonly [string, number])[] = [
      ["2026-11-20 10:00:30", 1000],
      ["2026-11-20 09:59:00", 2000],
      ["2026-11-20 09:00:00", 120_000],
      ["2026-11-10 10:00:00", 21_600_000],
      ["2020-01-01 00:00:00", 54 * 86_400_000],
    ];
    for (const [created_at, bucketMs] of spans) {
      const chart = outcomeChart([transaction({ created_at })], nowMs);
      expect(chart.bucketMs).toBe(bucketMs);
      expect(chart.buckets.reduce((sum, { total }) => sum + total, 0)).toBe(1);
      const last = chart.buckets.at(-1)?.fromMs ?? 0;
      expect(last <= nowMs && nowMs < last + bucketMs).toBe(true);
    }
  });

  test("nothing is no chart", () => {
    expect(outcomeChart([], nowMs).most).toBe(0);
  });
});

describe("the list as a file for a spreadsheet", () => {
  test("a line a payment, below the names of the API's members", () => {
    const [names, line, end] = csvOf([transaction({ reference: "ORDER-1" })]).split("\r\n");
    expect(names).toStartWith("id,created_at,reference,phone,amount");
    expect(line).toStartWith("1,2026-11-20 10:00:00,ORDER-1,254712345678,1,0,completed,0,,");
    expect(end).toBe("");
  });

  test("what a merchant wrote breaks out of no cell, and is no formula", () => {
    const references = ['a "b", c', "=1+1", "+2", "-3", "@SUM(A1)", "two\nlines"];
    const cells = references.map(
      (reference) =>
        csvOf([transaction({ reference })])
          .split("10:00:00,")[1]
          ?.split(",254")[0],
    );
    expect(cells).toEqual(['"a ""b"", c"', "'=1+1", "'+2", "'-3", "'@SUM(A1)", '"two\nlines"']);
  });
});
