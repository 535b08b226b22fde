import { describe, expect, test } from "bun:test";
import { gistOf } from "../../../sandbox/console/browser/logic/calls.ts";
import {
  acknowledge,
  findingsByCall,
  findingsByKind,
  findingsByPayment,
  isAcknowledged,
  labelsOf,
} from "../../../sandbox/console/browser/logic/findings.ts";
import {
  dayOf,
  formatAmount,
  formatCount,
  formatInterval,
  formatPhone,
  prettyJson,
  timeOfDay,
} from "../../../sandbox/console/browser/logic/format.ts";
import { noteOf } from "../../../sandbox/console/browser/logic/phone.ts";
import { numberOrText, problemsOf } from "../../../sandbox/console/browser/logic/problems.ts";
import { nextReference } from "../../../sandbox/console/browser/logic/reference.ts";
import { paste } from "../../../sandbox/console/browser/logic/snippets.ts";
import {
  coveredBy,
  faultInWords,
  openPrompts,
  ruleInWords,
  unusual,
} from "../../../sandbox/console/browser/logic/steering.ts";
import type { Finding, Status } from "../../../sandbox/console/browser/wire.ts";
import { RESULT_CODES } from "../../../src/domain/outcome.ts";

test("amounts, phones and durations", () => {
  expect([1, 1200.5, 999_999_999.99].map(formatAmount)).toEqual(["1.00", "1,200.50", "999,999,999.99"]);
  const phones = ["254712345678", "254110000001", "2547123456789", "", "<b>"];
  expect(phones.map(formatPhone)).toEqual(["0712 345 678", "0110 000 001", "2547123456789", "", "<b>"]);
  expect(formatCount(12_345)).toBe("12,345");
  const durations = [
    0, 0.34, 2.34, 2.96, 350, 999, 1000, 2990, 9999, 10_000, 12_345, 48_900, 60_000, 119_999, 185_000, 3_600_000,
    3_660_000, 5_400_000,
  ];
  expect(durations.map(formatInterval)).toEqual([
    ...["0 ms", "0.3 ms", "2.3 ms", "3 ms", "350 ms", "999 ms", "1 s", "2.9 s", "9.9 s", "10 s", "12 s", "48 s"],
    ...["1 min", "1 min 59 s", "3 min 5 s", "1 h", "1 h 1 min", "1 h 30 min"],
  ]);
});

test("the two parts of a timestamp; JSON on several lines, and other text as it is", () => {
  expect([dayOf("2026-11-20 10:00:05"), timeOfDay("2026-11-20 10:00:05")]).toEqual(["2026-11-20", "10:00:05"]);
  expect(['{"a":[1]}', "{a", ""].map(prettyJson)).toEqual(['{\n  "a": [\n    1\n  ]\n}', "{a", ""]);
});

test("a field sends a number, or else the text, which the API refuses; an empty one sends nothing", () => {
  expect(["", "0", "1.5", "1e999", "ten"].map(numberOrText)).toEqual([undefined, 0, 1.5, "1e999", "ten"]);
});

describe("the problems of a form, beside their fields", () => {
  const CASES: [message: string, names: string[], fields: Record<string, string>, rest: string | null][] = [
    ["amount is a; phone is b", ["phone", "amount"], { amount: "amount is a", phone: "phone is b" }, null],
    ["it is over; times: too small", ["phone", "times"], { times: "times: too small" }, "it is over"],
    [
      "match.phone: a; times: b",
      ["match.phone", "times"],
      { "match.phone": "match.phone: a", times: "times: b" },
      null,
    ],
    ["faults[0].status: no", ["status"], { status: "faults[0].status: no" }, null],
    ["faults[12].status: no", ["status"], { status: "faults[12].status: no" }, null],
    ["url: a; times: b; url: c", ["url", "times"], { url: "url: a; url: c", times: "times: b" }, null],
    ["match.amount: too small", ["amount"], { amount: "match.amount: too small" }, null],
    ["the server is on fire", ["phone"], {}, "the server is on fire"],
    ["phonebook is no phone", ["phone"], {}, "phonebook is no phone"],
    ["match-phone: a", ["match.phone"], {}, "match-phone: a"],
  ];
  test.each(CASES)("%s", (message, names, fields, rest) => {
    expect(problemsOf(message, names)).toEqual({ fields, rest });
  });
});

test("the settings that differ from those of the start", () => {
  const start = {
    rules: [],
    faults: [],
    fallback: { outcome: "completed", after: "3s" },
    clock: { frozen: false },
    server: { accept: "strict" },
    webhook: null,
  } as const;
  expect(unusual(start)).toEqual([]);
  expect(unusual({ ...start, fallback: null, clock: null, server: null })).toEqual([]);
  const rule = { match: {}, outcome: "cancelled" } as const;
  const changed = unusual({
    rules: [rule, rule],
    faults: [{ kind: "error", probability: 1 }],
    fallback: { outcome: "cancelled", after: "3s" },
    clock: { frozen: true },
    server: { accept: "lenient" },
    webhook: "http://127.0.0.1/hook",
  });
  expect(changed).toEqual(["2 rules", "1 fault", "clock frozen", "default cancelled after 3s", "lenient", "webhook"]);
  expect(unusual({ ...start, fallback: { outcome: "completed", after: "10s" } })).toEqual([
    "default completed after 10s",
  ]);
  expect(unusual({ ...start, fallback: { outcome: "manual", after: null } })).toEqual(["default manual"]);
  expect(unusual({ ...start, rules: Array<typeof rule>(1200).fill(rule) })).toEqual(["1,200 rules"]);
});

test("a rule is covered by an earlier one without a count that matches all its payments", () => {
  const every = { match: {}, outcome: "completed" } as const;
  const one = { match: { phone: "254712345678", amount: 5 }, outcome: "cancelled" } as const;
  const phone = { match: { phone: "254712345678" }, outcome: "expired" } as const;
  expect(coveredBy([one, phone, every, one])).toEqual([null, null, null, 1]);
  expect(coveredBy([{ ...every, times: 2 }, one])).toEqual([null, null]);
  expect(coveredBy([every, phone, every])).toEqual([null, 1, 1]);
  expect(coveredBy([phone, { ...phone, match: { phone: "254712345679" } }])).toEqual([null, null]);
});

test("rules and faults", () => {
  expect([
    ruleInWords({ match: { phone: "254712345678", amount: 5 }, outcome: "wrong_pin", after: "3s", times: 1 }),
    ruleInWords({ match: { payment_account_id: 2, reference: "A" }, outcome: "completed", times: 3 }),
    ruleInWords({ match: {}, outcome: "completed" }),
    faultInWords({ path: "/status.php", kind: "error", status: 503, probability: 0.21, times: 4 }),
    faultInWords({ kind: "error", probability: 0.125, times: 1 }),
    faultInWords({ kind: "delay", delay: "5s", probability: 1 }),
    faultInWords({ kind: "disconnect", probability: 1 }),
  ]).toEqual([
    "KES 5.00 from 0712 345 678: wrong_pin after 3s, once",
    "to account 2 for A: completed, 3 times",
    "every payment: completed",
    "/status.php: HTTP 503, 21 % of requests, 4 times",
    "every operation: HTTP 500, 12.5 % of requests, once",
    "every operation: 5s late",
    "every operation: the answer is lost on its way",
  ]);
});

test.each([
  ["stkpush.php", '{"phone":"0712345678","amount":100,"reference":"R"}', null, "KES 100.00 for R from 0712 345 678"],
  ["stkpush.php", '{"phone":"0712345678","amount":100,"reference":""}', null, "KES 100.00 from 0712 345 678"],
  ["stkpush.php", '{"phone":"254712345670","amount":100}', null, "KES 100.00 from 0712 345 670"],
  ["stkpush.php", "{", null, ""],
  ["pay", '{"phone":"0712345678","amount":100}', { success: true }, ""],
  ["status.php", null, { success: true, status: "pending" }, "pending"],
  ["status.php", null, null, ""],
  ["x", null, { success: false, message: "nothing here" }, "nothing here"],
  ["transactions.php", null, { success: true, message: "1 transaction", data: [1] }, "1 transaction"],
  // The log cuts a long list.
  ["transactions.php", null, '{"success":true,"message":"512 transactions","transact', "512 transactions"],
  ["transactions.php", null, null, ""],
])("the subject of a request: %s %p %j", (path, body, answer, gist) => {
  expect(gistOf({ target: `/v2/${path}`, body, answer: answer as never })).toBe(gist);
});

test("an example has the address, the key and the account of its server, and places for those that it does not have", () => {
  const facts = { base_url: "https://shop.test:8443/v2", api_key: "mk_own", payment_account_id: 7, data: "/srv/momo" };
  const python = paste("Python", facts);
  for (const part of [
    'HTTPSConnection("shop.test:8443")',
    "/v2/stkpush.php",
    "mk_own",
    '"payment_account_id": 7,',
    "/srv/momo/credentials.json",
  ])
    expect(python).toContain(part);
  expect(paste("Python", { ...facts, base_url: "http://shop.test/v2" })).toContain('HTTPConnection("shop.test")');
  expect(python).not.toContain("http.client.HTTPConnection");
  const curl = paste("curl", { ...facts, api_key: null, payment_account_id: null, data: null });
  expect(curl).toStartWith("export MOMO_API_SECRET='ms_…'\ncurl ");
  for (const part of ["https://shop.test:8443/v2/stkpush.php", "X-API-Key: mk_…", '"payment_account_id": 1'])
    expect(curl).toContain(part);
});

test("what the phone shows after a prompt; each failure of the network has its own text", () => {
  const note = (status: Status, code: number | null, text: string | null = "The network is busy.") => {
    const shown = noteOf({ status, amount: 1205.5, result_code: code, result_desc: text }, "Shop");
    return `${shown.title}: ${shown.text}`;
  };
  expect([note("pending", null), note("completed", 0), note("cancelled", 1032), note("expired", 1019)]).toEqual([
    ...["Waiting: Shop asks for KES 1,205.50.", "Paid: KES 1,205.50 went to Shop.", "Cancelled: You did not pay Shop."],
    "Too late: The prompt from Shop has expired. Nothing was paid.",
  ]);
  expect([1, 3, 17, 1025, 1037, 2001, 8006, 9999, null].map((code) => note("failed", code))).toEqual(
    [
      ...["There is not enough money in your account.", "This is more than one payment may carry."],
      ...["You have just made the same payment. Wait a little.", "The prompt could not be shown."],
      ...["Your phone could not be reached in time.", "The PIN was wrong."],
      ...["Your PIN is locked. Unlock it before you pay.", "The network is busy.", "The network is busy."],
    ].map((text) => `Not paid: ${text} Nothing was sent.`),
  );
  expect(note("failed", 9999, null)).toBe("Not paid: The payment failed. Nothing was sent.");
  const texts = Object.entries(RESULT_CODES).map(([code, text]) => note("failed", Number(code), text));
  expect(new Set(texts).size).toBe(texts.length);
});

const finding = (kind: Finding["kind"], request_ids: number[], changes: Partial<Finding> = {}): Finding => ({
  ...{ kind, severity: "error", message: kind, advice: "", section: "§4", request_ids, checkout_request_id: null },
  ...{ reference: null, first_at: "2026-11-20 10:00:00", count: 1, ...changes },
});

test("findings are grouped by request, by payment and by kind", () => {
  const twice = finding("charges_twice", [1, 4], { checkout_request_id: "ws_CO_1" });
  const fast = finding("polls_too_fast", [4, 5], { checkout_request_id: "ws_CO_1" });
  const again = finding("polls_too_fast", [6]);
  expect(Object.fromEntries(findingsByCall([twice, fast]))).toEqual({ 1: [twice], 4: [twice, fast], 5: [fast] });
  expect([...findingsByPayment([twice, fast, again])]).toEqual([["ws_CO_1", [twice, fast]]]);
  expect([...findingsByKind([twice, fast, again]).keys()]).toEqual(["charges_twice", "polls_too_fast"]);
  expect(labelsOf([fast, twice, again])).toBe("polls too fast, charges twice");
});

test("a finding that is marked as known is hidden until it happens again", () => {
  const first = finding("charges_twice", [1], { checkout_request_id: "ws_CO_1" });
  const acknowledged = acknowledge(acknowledge({}, [first]), [finding("ignores_final", [2])]);
  expect(isAcknowledged(first, {})).toBe(false);
  expect(isAcknowledged(first, acknowledged)).toBe(true);
  expect(isAcknowledged({ ...first, count: 2 }, acknowledged)).toBe(false);
  // After a reset it is found anew, and counts from 1.
  expect(isAcknowledged(first, acknowledge(acknowledged, [{ ...first, count: 3 }]))).toBe(true);
  expect(isAcknowledged({ ...first, kind: "polls_too_fast" }, acknowledged)).toBe(false);
  expect(isAcknowledged({ ...first, checkout_request_id: "ws_CO_2" }, acknowledged)).toBe(false);
});

test("of 1,001 known findings the last 1,000 are remembered", () => {
  const many = Array.from({ length: 1001 }, (_, index) => finding("unknown_path", [], { message: `path ${index}` }));
  const acknowledged = acknowledge({}, many);
  const isKnown = many.map((one) => isAcknowledged(one, acknowledged));
  expect(isKnown).toEqual([false, ...Array<boolean>(1000).fill(true)]);
  const last = finding("unknown_path", [], { message: "the last path" });
  expect(isAcknowledged(last, acknowledge(acknowledged, [last]))).toBe(true);
});

test("the open prompts, also those that the server does not list", () => {
  expect([openPrompts(0, 0), openPrompts(1, 0), openPrompts(1000, 9050)]).toEqual([
    "No prompt open",
    "1 prompt open",
    "1,000 of 10,050 prompts open",
  ]);
});

test.each([
  ["ORDER-0000", [], "ORDER-0001"],
  ["ORDER-0000", ["ORDER-0007", null, "ORDER-12", "ORDER-x", "INV-0099", "ORDER-1-2"], "ORDER-0013"],
  ["ORDER-099", [], "ORDER-100"],
  ["ORDER-9", ["ORDER-8"], "ORDER-10"],
  ["", ["ORDER-1"], ""],
  ["till", ["till"], "till"],
])("after %p with %j comes %p", (reference, taken, next) => {
  expect(nextReference(reference, taken)).toBe(next);
});
