import { describe, expect, test } from "bun:test";
import {
  type CallFilters,
  callFiltersOf,
  fitsCall,
  NO_CALL_FILTERS,
  paymentOf,
} from "../../../sandbox/console/browser/logic/calls.ts";
import { BUCKETS, outcomeChart } from "../../../sandbox/console/browser/logic/chart.ts";
import { csvOf } from "../../../sandbox/console/browser/logic/csv.ts";
import {
  belongs,
  type Filters,
  filtersOf,
  formatSpan,
  inForce,
  isFiltered,
  isWithin,
  NO_FILTERS,
  parseSpan,
  queryOf,
} from "../../../sandbox/console/browser/logic/filters.ts";
import { appendUnknown, has, mergeNewestFirst } from "../../../sandbox/console/browser/logic/merge.ts";
import type { Finding, LoggedRequest, Transaction } from "../../../sandbox/console/browser/wire.ts";
import { until } from "../../support/waiting.ts";

const rowsOf = (...ids: number[]) => ids.map((id) => ({ id, isNew: false }));
const newOf = (...ids: number[]) => ids.map((id) => ({ id, isNew: true }));

test("requests, oldest first: what the server sends again is shown once, and the oldest are dropped", () => {
  const known = rowsOf(1, 2, 3);
  expect(appendUnknown(known, newOf(2, 3, 4), 10)).toEqual([...known, ...newOf(4)]);
  expect(appendUnknown([], known, 10)).toEqual(known);
  expect(appendUnknown(known, newOf(4, 5), 3)).toEqual([...rowsOf(3), ...newOf(4, 5)]);
});

describe("payments, newest first", () => {
  test("new rows go to their places, and known ones are replaced", () => {
    const merged = mergeNewestFirst(rowsOf(5, 3, 2), newOf(2, 7, 4, 1), 10);
    expect(merged.map(({ id }) => id)).toEqual([7, 5, 4, 3, 2, 1]);
    expect(merged.filter(({ isNew }) => isNew).map(({ id }) => id)).toEqual([7, 4, 2, 1]);
  });

  test("a row is found wherever it is", () => {
    const rows = rowsOf(9, 7, 4, 1);
    expect([10, 9, 8, 4, 1, 0].filter((id) => has(rows, id))).toEqual([9, 4, 1]);
    expect(has([], 1)).toBe(false);
  });

  test("the oldest are dropped", () => {
    expect(mergeNewestFirst(rowsOf(2, 1), newOf(3), 2).map(({ id }) => id)).toEqual([3, 2]);
    expect(mergeNewestFirst([], newOf(1, 2, 3), 2).map(({ id }) => id)).toEqual([3, 2]);
  });
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
  test("those of the page alone are not sent, nor are spaces around a value; only spaces select nothing", () => {
    const sent = (query: Record<string, string>) => queryOf(filtersOf(query)).toString();
    expect(sent({ span: "1-2", search: " tea  ", id: " " })).toBe("search=tea");
    expect(sent({ toString: "x", constructor: "x" })).toBe("");
    expect([{ search: " " }, { span: "1-2" }].map((query) => isFiltered(filtersOf(query)))).toEqual([false, true]);
    expect(filtersOf({ toString: "x" })).toEqual(NO_FILTERS);
  });

  test("are read from the address; empty ones are not sent, nor is the interval of the chart", () => {
    const query = { status: "failed", search: "07 1&", type: "", span: "1-2", merchant: "2", x: "y" };
    expect(inForce(filtersOf(query))).toEqual({ status: "failed", search: "07 1&", span: "1-2" });
    expect(queryOf(filtersOf(query)).toString()).toBe("status=failed&search=07+1%26");
  });

  test("an interval contains its first instant, but not its end", () => {
    const atMs = Date.UTC(2026, 10, 20, 7);
    const span = parseSpan(`${atMs}-${atMs + 1000}`);
    expect(span && isWithin({ created_at: "2026-11-20 10:00:00" }, span)).toBe(true);
    expect(span && isWithin({ created_at: "2026-11-20 10:00:01" }, span)).toBe(false);
    expect(span && isWithin({ created_at: "2026-11-20 09:59:59" }, span)).toBe(false);
    expect(span && formatSpan(span)).toBe(`${atMs}-${atMs + 1000}`);
    for (const text of ["", "1", "a-b", "1-2-3", "-1-2", "1-2222222222222222"]) expect(parseSpan(text)).toBeNull();
  });

  const CASES: [filters: Partial<Filters>, isShown: boolean | null][] = [
    [{}, true],
    [{ status: "failed" }, false],
    [{ type: "web" }, false],
    [{ type: "api" }, true],
    [{ id: "1" }, true],
    [{ id: "2" }, false],
    [{ date_from: "2026-11-20", date_to: "2026-11-20" }, true],
    [{ date_from: "2026-11-21" }, false],
    [{ date_to: "2026-11-19" }, false],
    [{ search: "ORDER" }, null],
    [{ search: " ", id: " " }, true],
    [{ search: "ORDER", status: "failed" }, false],
  ];
  test.each(CASES)("%j on a new payment: %p; null if only the server knows", (filters, isShown) => {
    expect(belongs(PAYMENT, { ...NO_FILTERS, ...filters })).toBe(isShown);
  });
});

describe("the filters of requests", () => {
  const poll = { method: "POST", target: "/v2/status.php", body: '{"checkout_request_id":"ws_CO_1"}', status: 200 };
  const push = { method: "POST", target: "/v2/stkpush.php?x=1", body: "{", status: null };
  const requests = [
    { ...poll, answer: {} },
    { ...push, answer: { checkout_request_id: "ws_CO_2" } },
  ] as Parameters<typeof fitsCall>[0][];

  test("a request is about one payment", () => {
    expect(requests.map(paymentOf)).toEqual(["ws_CO_1", "ws_CO_2"]);
    expect(paymentOf({ ...poll, body: null, answer: {} })).toBeNull();
    expect(paymentOf({ ...poll, body: '{"checkout_request_id":7}', answer: {} })).toBeNull();
  });

  test("are read from the address, without what is not a filter", () => {
    expect(callFiltersOf({ path: "status.php", merchant: "2" })).toEqual({ ...NO_CALL_FILTERS, path: "status.php" });
  });

  test("a search finds an answer that is only text as the client got it", () => {
    const request = { ...poll, answer: '{"message":"512 payments' } as unknown as LoggedRequest;
    expect(fitsCall(request, { ...NO_CALL_FILTERS, search: '"message":"512' })).toBe(true);
  });

  test("a finding selects the requests that it names, beside others", () => {
    const found = ["charges_twice", "ignores_final"].map((kind) => ({ kind })) as unknown as readonly Finding[];
    const fits = (finding: string, of = found) =>
      fitsCall({ ...poll, answer: {} } as LoggedRequest, { ...NO_CALL_FILTERS, finding }, of);
    const kinds = ["any", "charges_twice", "ignores_final", "wrong_method"];
    expect(kinds.filter((kind) => fits(kind))).toEqual(kinds.slice(0, 3));
    expect(["any", "charges_twice"].map((kind) => fits(kind, found.slice(1)))).toEqual([true, false]);
  });

  test("an operation is the end of a path, and a class of answers the hundreds of a status", () => {
    const fits = (request: object, filters: Partial<CallFilters>) =>
      fitsCall({ ...poll, answer: {}, ...request } as LoggedRequest, { ...NO_CALL_FILTERS, ...filters });
    expect(fits({ target: "/v2/stkpush.php?x=/y.php" }, { path: "stkpush.php" })).toBe(true);
    expect(fits({ target: "/v2/" }, { path: "/v2/" })).toBe(true);
    for (const [status, answer] of [
      [299, "2xx"],
      [451, "4xx"],
      [599, "5xx"],
    ] as const)
      expect(fits({ status }, { answer })).toBe(true);
  });

  const CASES: [filters: Partial<CallFilters>, found: number[]][] = [
    [{}, [0, 1]],
    [{ path: "stkpush.php" }, [1]],
    [{ method: "GET" }, []],
    [{ answer: "lost" }, [1]],
    [{ answer: "2xx" }, [0]],
    [{ payment: "ws_CO_1" }, [0]],
    [{ search: "WS_co_2" }, [1]],
    [{ search: "ws_co_1" }, [0]],
    [{ search: "POST /V2/stk" }, [1]],
    [{ payment: " ws_CO_1 " }, [0]],
    [{ payment: "ws_CO" }, []],
    [{ method: "POST", search: "nowhere" }, []],
    [{ search: " ", payment: " " }, [0, 1]],
    [{ finding: "any" }, []],
  ];
  test.each(CASES)("%j", (filters, found) => {
    const fits = requests.filter((request) => fitsCall(request, { ...NO_CALL_FILTERS, ...filters }));
    expect(fits).toEqual(found.map((index) => requests[index] as (typeof requests)[number]));
  });
});

describe("the chart", () => {
  const nowMs = Date.UTC(2026, 10, 20, 7, 0, 30); // 10:00:30 in Nairobi

  test("counts each payment once, when it started", () => {
    const more = [{ status: "failed" }, { status: "pending" }, {}, { created_at: "2026-11-20 10:00:29" }] as const;
    const { buckets, most } = outcomeChart([PAYMENT, ...more.map((changes) => ({ ...PAYMENT, ...changes }))], nowMs);
    expect(buckets).toHaveLength(BUCKETS);
    expect(most).toBe(4);
    expect(buckets.reduce((sum, { total }) => sum + total, 0)).toBe(5);
    const counts = { pending: 1, completed: 2, failed: 1, cancelled: 0, expired: 0 };
    expect(buckets.find(({ total }) => total === 4)?.counts).toEqual(counts);
    expect(outcomeChart([], nowMs)).toMatchObject({ most: 0, bucketMs: 1000 });
  });

  test("has a place for a payment whose clock is ahead, such as that of another server", () => {
    const { buckets } = outcomeChart([{ ...PAYMENT, created_at: "2026-11-20 10:00:35" }], nowMs);
    expect(buckets.at(-1)).toMatchObject({ fromMs: nowMs + 5000, total: 1 });
  });

  test("reaches from the first payment until now, in the shortest of the round intervals", () => {
    const first = {
      ...{ "2026-11-20 10:00:30": 1, "2026-11-20 09:59:43": 1, "2026-11-20 09:59:42": 2, "2026-11-20 09:59:00": 2 },
      ...{ "2026-11-20 09:57:00": 5, "2026-11-20 09:53:00": 10, "2026-11-20 09:40:00": 30, "2026-11-20 09:15:00": 60 },
      ...{ "2026-11-20 09:00:00": 120, "2026-11-20 07:00:00": 300, "2026-11-20 04:00:00": 600 },
      ...{ "2026-11-19 16:00:00": 1800, "2026-11-18 16:00:00": 3600, "2026-11-17 10:00:00": 7200 },
      ...{ "2026-11-10 10:00:00": 21_600, "2026-10-30 10:00:00": 43_200, "2026-10-10 10:00:00": 86_400 },
      "2020-01-01 00:00:00": 54 * 86_400,
    };
    for (const [created_at, seconds] of Object.entries(first)) {
      const { bucketMs, most, buckets } = outcomeChart([{ ...PAYMENT, created_at }], nowMs);
      expect([created_at, bucketMs, most]).toEqual([created_at, seconds * 1000, 1]);
      const last = buckets.at(-1)?.fromMs ?? 0;
      expect(last <= nowMs && nowMs < last + bucketMs).toBe(true);
    }
  });
});

describe("the list as CSV", () => {
  test("has one line for each payment, below the names of the members", () => {
    const [names, line, end] = csvOf([{ ...PAYMENT, reference: "ORDER-1" }]).split("\r\n");
    expect(names).toBe(
      "id,created_at,reference,phone,amount,fee_amount,status,result_code,result_desc,momo_receipt_number," +
        "transaction_code,completed_at,kind,checkout_request_id,merchant_request_id",
    );
    expect(line).toBe("1,2026-11-20 10:00:00,ORDER-1,254712345678,1,0,completed,0,,,,,api,ws_CO_1_A,ws_MR_1_A");
    expect(end).toBe("");
  });

  test("a reference is no formula, and stays in its cell", () => {
    const formulas = ["=1+1", "+2", "-3", "@SUM(A1)", "\t=1"].map((text) => [text, `'${text}`]);
    const quoted = [
      ['a "b", c', '"a ""b"", c"'],
      ["two\nlines", '"two\nlines"'],
      ["two\rlines", '"two\rlines"'],
    ];
    for (const [reference = "", cell] of [...formulas, ...quoted, ["\r=1", '"\'\r=1"']])
      expect(csvOf([{ ...PAYMENT, reference }])).toContain(`10:00:00,${cell},254`);
  });
});

test("a refresh that is asked for while another one loads is made after it, once", async () => {
  // Its types need those of a browser.
  const file = "../../../sandbox/console/browser/system.ts";
  const { throttled } = await import(file);
  const loading: (() => void)[] = [];
  const refresh = throttled(
    () => 1,
    () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      loading.push(resolve);
      return promise;
    },
  );
  for (let time = 0; time < 3; time += 1) refresh();
  expect(loading).toHaveLength(1);
  loading[0]?.();
  await until(
    async () => loading.length,
    (count) => count === 2,
  );
  loading[1]?.();
  await Bun.sleep(20);
  expect(loading).toHaveLength(2);
});
