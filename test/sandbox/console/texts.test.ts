import { describe, expect, test } from "bun:test";
import { gistOf } from "../../../sandbox/console/browser/logic/calls.ts";
import * as format from "../../../sandbox/console/browser/logic/format.ts";
import { countdown, sandboxNowMs } from "../../../sandbox/console/browser/logic/phone.ts";
import { problemsOf } from "../../../sandbox/console/browser/logic/problems.ts";
import { nextReference, unusedReference } from "../../../sandbox/console/browser/logic/reference.ts";
import { formatRoute, parseRoute, type Route } from "../../../sandbox/console/browser/logic/route.ts";
import { curlOf } from "../../../sandbox/console/browser/logic/shell.ts";
import { faultInWords, openPrompts, ruleInWords } from "../../../sandbox/console/browser/logic/steering.ts";
import type { LoggedRequest } from "../../../sandbox/console/browser/wire.ts";
import { quoted } from "../../../sandbox/curl.ts";
import { isLoopbackInBrowser } from "../../../sandbox/loopback.ts";
import { formatInterval } from "../../../src/domain/duration.ts";

/** What the page writes; test/integration/console reads the usual forms in their places. */

test("amounts, phones and durations", () => {
  expect([1, 999_999_999.99].map(format.formatAmount)).toEqual(["1.00", "999,999,999.99"]);
  const phones = ["254110000001", "2547123456789", "<b>"];
  expect(phones.map(format.formatPhone)).toEqual(["0110 000 001", "2547123456789", "<b>"]);
  const durations = [0.34, 2.96, 999, 2990, 9999, 12_345, 60_000, 119_999, 3_600_000, 3_660_000];
  expect(durations.map(formatInterval)).toEqual([
    ...["0.3 ms", "3 ms", "999 ms", "2.9 s", "9.9 s", "12 s", "1 min", "1 min 59 s", "1 h", "1 h 1 min"],
  ]);
});

test("times are in Nairobi, in every time zone of the browser", () => {
  const atMs = Date.UTC(2026, 10, 20, 22, 30, 5);
  expect([format.preciseClock(atMs + 250), format.dayAt(atMs)]).toEqual(["01:30:05.250", "2026-11-21"]);
  expect(format.dayInWords(atMs)).toBe("21 Nov 2026");
  expect(format.momentInWords("2026-11-21 01:30:05")).toBe("21 Nov 2026, 01:30:05");
  expect(format.instantOf("2026-11-21 01:30:05")).toBe(atMs);
});

test("the sandbox's time goes on from the last reading, unless it is frozen", () => {
  expect(sandboxNowMs({ now_ms: 1000, frozen: false, takenAtMs: 500 }, 700)).toBe(1200);
  expect(sandboxNowMs({ now_ms: 1000, frozen: true, takenAtMs: 500 }, 99_999)).toBe(1000);
  // A reading that another one has just replaced.
  expect(sandboxNowMs({ now_ms: 1000, frozen: false, takenAtMs: 500 }, 400)).toBe(1000);
});

test("a countdown goes from the whole time to 0, and stays there", () => {
  const shown = [-5000, 1, 59_999, 70_000].map((nowMs) => countdown(0, 60_000, nowMs));
  expect(shown).toEqual(["1:00", "1:00", "0:01", "0:00"]);
});

const PROBLEMS: [issues: string[], fields: Record<string, string>, rest: string | null][] = [
  [[], {}, "it is over"],
  [['times | must be a number | "ten"'], { times: 'a whole number, such as 3; it is "ten"' }, null],
  [['url | must be an address | "ten"'], { url: 'must be an address; it is "ten"' }, null],
  [["times | must be at least 1 | 0"], { times: "must be at least 1; it is 0" }, null],
  [["advance | is not a duration"], {}, "The clock goes ahead by 400 days at most"],
  [['phone | must be the start | "07*12"'], { phone: 'must be the start; it is "07*12"' }, null],
  [['phone | must be | "12"'], { phone: 'a Kenyan number, such as 0712 345 678; it is "12"' }, null],
  [["pin | must be"], {}, "The PIN has 4 to 6 digits"], // the API shows no PIN
  [['id | must be | "x"'], {}, 'a whole number, such as 12; it is "x"'],
  [['fee | must be | "x"'], {}, 'a tariff, such as 1% or 1.5%+10; it is "x"'],
  [['date_from | a | "28/11/2026"'], {}, 'a day, such as 2026-11-30; it is "28/11/2026"'],
  [['date_to | a | "2026-11"'], {}, 'a day, such as 2026-11-30; it is "2026-11"'],
  [['date_to | must be a day | "2026-02-30"'], {}, 'date_to: must be a day; it is "2026-02-30"'],
  [["date_from | must not be after date_to"], {}, "it must not be after the day of “To”"],
  [["rules[2].match.times | a", "faults[12].times | c"], { times: "a whole number, such as 3" }, null],
  [["url | a", "url | b"], { url: "a" }, null],
  [["phonebook | a | 1", " | give one of them"], {}, "phonebook: a; it is 1; give one of them"],
];
test.each(PROBLEMS)("the problems of a form, each once, and at its field: %j", (given, fields, rest) => {
  const issues = given.map((issue) => {
    const [path = "", rule = "", received] = issue.split(" | ").map((part) => part.trim());
    return { path, rule, ...(received !== undefined && { received }) };
  });
  expect(problemsOf({ message: "it is over", issues }, ["phone", "times", "url"])).toEqual({ fields, rest });
});

test("rules and faults", () => {
  const described = { reference: "A", description: "tea" };
  expect([
    ruleInWords({ match: { payment_account_id: 2, ...described }, outcome: "completed", times: 3 }),
    ruleInWords({ match: {}, outcome: "wrong_pin", result_code: 9, after: "3s", times: 1 }),
    ruleInWords({ match: {}, outcome: "expired", times: 2 }),
    ruleInWords({ match: {}, outcome: "silent" }),
    faultInWords({ path: "/status.php", kind: "error", status: 503, probability: 0.125, times: 4 }),
    faultInWords({ kind: "error", carried_out: true, cut_after: 9, probability: 1, times: 1 }),
    faultInWords({ kind: "disconnect", probability: 1 }),
  ]).toEqual([
    "to account 2 for A described as tea: completed, 3 times",
    "the next payment: wrong_pin (9) after 3s",
    "the next 2 payments: expired",
    "every payment: silent",
    "/status.php: HTTP 503, 12.5 % of requests, 4 times",
    "every operation: HTTP 500, carried out, cut after 9 bytes, once",
    "every operation: the answer is lost",
  ]);
});

test("of many prompts, how many are shown", () => expect(openPrompts(1000, 9050)).toBe("1,000 of 10,050 prompts open"));

test.each([
  ["stkpush.php", '{"phone":"254712345670","amount":100,"reference":""}', null, "KES 100.00 from 0712 345 670"],
  ["stkpush.php", "{", null, ""],
  ["pay", '{"phone":"0712345678","amount":100}', { success: true }, ""],
  ["status.php", null, null, ""],
  ["x", null, { success: false, message: "nothing here" }, "nothing here"],
  ["stkpush.php", '{"reference":"A-1"}', { success: false, message: "refused" }, "refused · A-1"],
  // The log cuts a long list.
  ["transactions.php", null, '{"success":true,"message":"512 transactions","transact', "512 transactions"],
  ["transactions.php", null, null, ""],
])("the subject of a request: %s %p %j", (path, body, answer, gist) => {
  expect(gistOf({ target: `/v2/${path}`, body, answer: answer as never })).toBe(gist);
});

test.each([
  ["ORDER-0001", "ORDER-0002"],
  ["ORDER-099", "ORDER-100"],
  ["ORDER-9", "ORDER-10"],
  ["", ""],
])("after %p comes %p", (reference, next) => {
  expect(nextReference(reference)).toBe(next);
  expect(unusedReference(reference, (one) => one === reference)).toBe(next);
});

test("the page takes only names of loopback for this machine", () => {
  const own = ["localhost", "shop.localhost", "127.1.2.3", "[::1]"];
  const evil = ["localhost.evil.example", "127.evil.example", "127.0.0.1.example", "evil-localhost", "[::1].example"];
  expect([...own, ...evil, "10.127.0.1", "[fe80::1]"].filter(isLoopbackInBrowser)).toEqual(own);
});

describe("the address after #", () => {
  const ROUTES: Route[] = [
    { view: "transactions", selected: "ws_CO_1_A/%é", query: { search: "a&b=c?#/%\n1", status: "failed" } },
    { view: null, selected: null, query: { merchant: "2" } },
  ];
  test.each(ROUTES)("keeps %j", (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  test.each(["", "#nowhere", "#__proto__", "#/%E0%A4%A", "#/..", "#/%2e.", "#?status="])("%p means nothing", (hash) => {
    expect(parseRoute(hash)).toEqual({ view: null, selected: null, query: {} });
  });

  test("has one id after the view", () => expect(parseRoute("#requests/7/8").selected).toBe("7"));
});

describe("lines for a shell", () => {
  async function wordsOf(line: string): Promise<string[]> {
    const script = `MOMO_API_SECRET=ms_2; for word in ${line}; do printf '%s\\0' "$word"; done`;
    return (await new Response(Bun.spawn(["sh", "-c", script]).stdout).text()).split("\0").slice(0, -1);
  }

  test("a shell reads every quoted word unchanged", async () => {
    const hostile = ["plain", "two words", "it's", '"$(touch x)"', "`id`", "a\nb", "-d", "", "ünï €", "\\"];
    expect(await wordsOf(hostile.map(quoted).join(" "))).toEqual(hostile);
  });

  const replayed = (request: object) =>
    wordsOf(
      curlOf(
        { method: "GET", target: "/v2/status.php", body: null, ...request } as LoggedRequest,
        "http://127.0.0.1:2547/v2",
      ),
    );

  test("a logged request is sent unchanged", async () => {
    const headers = { host: "h", "x-api-secret": "[redacted]", "content-type": "application/json", accept: "*/*" };
    const request = { method: "POST", target: "/v2/stkpush.php?x='1'", headers, body: `{"reference":"it's"}` };
    expect(await replayed(request)).toEqual([
      ...["curl", "-g", "-X", "POST", "http://127.0.0.1:2547/v2/stkpush.php?x='1'", "-H", "x-api-secret: ms_2"],
      ...["-H", "content-type: application/json", "--data-raw", `{"reference":"it's"}`],
    ]);
    expect(await replayed({ method: "HEAD", headers: {} })).toContain("-I");
  });
});
