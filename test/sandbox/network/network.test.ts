import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Rule } from "../../../sandbox/control/shapes/steering.ts";
import type { Choice } from "../../../sandbox/network/choice.ts";
import { createNetwork } from "../../../sandbox/network/network.ts";
import { OUTCOMES, outcomeOfPhone } from "../../../sandbox/network/outcomes.ts";
import { createRuleBook } from "../../../sandbox/network/rules.ts";
import { type Decider, isMemo, readMemo, writeMemo } from "../../../sandbox/network/script.ts";
import { receiptSms } from "../../../sandbox/network/sms.ts";
import type { AmountCents } from "../../../src/domain/money.ts";
import { RESULT_CODES } from "../../../src/domain/outcome.ts";
import { type Msisdn, parsePhone } from "../../../src/domain/phone.ts";
import type { Prompt } from "../../../src/domain/provider.ts";
import { rethrow } from "../../support/rethrow.ts";
import { CREATED_AT_MS, paidAt, pendingOf, promptOf } from "../../support/shop.ts";

const COMPLETED: Choice = { outcome: "completed", after: "3s" };

/** Pushes a prompt, and says what the network decided and when to check it. */
const push = (changes: Partial<Prompt> = {}, fallback: Choice = COMPLETED) =>
  createNetwork({ fallback, reportFault: rethrow }).push(promptOf(changes));

describe("when the network answers", () => {
  const SLOW: Choice = { outcome: "completed", after: "20s" };
  const CASES: [name: string, instruction: string | null, fallback: Choice, afterMs: number][] = [
    ["the header has a time", "completed; after=10s", SLOW, 10_000],
    ["the header has no time: that of the table", "completed", SLOW, 3000],
    ["the header has no time: that of the table", "unreachable", SLOW, 15_000],
    ["the default has a time", null, SLOW, 20_000],
    ["expired: at the prompt timeout", "expired", SLOW, 60_000],
    ["silent: never, so it is checked at the deadline", "silent", SLOW, 60_000],
    ["manual by default: never", null, { outcome: "manual" }, 60_000],
  ];
  test.each(CASES)("%s (%p)", async (_, instruction, fallback, afterMs) => {
    expect((await push({ instruction }, fallback)).checkAtMs).toBe(CREATED_AT_MS + afterMs);
  });
});

test("a check after a restart with another default gives what was decided at the push", async () => {
  const { memo, checkAtMs } = await push();
  const restarted = createNetwork({ fallback: { outcome: "cancelled", after: "1ms" }, reportFault: rethrow });
  expect(await restarted.check({ ...pendingOf(), memo }, checkAtMs)).toMatchObject({ status: "completed" });
});

test("several servers decide together if the rule that matches has a count, wherever it stands", () => {
  const phones = ["254711111111", "254722222222", "254733333333"].map((text) => parsePhone(text));
  const ofPhone = (phone: Msisdn, at: number): Rule => ({
    match: { phone },
    ...COMPLETED,
    ...(at > 0 && { times: 2 }),
  });
  const rules = createRuleBook(phones.slice(0, 2).map(ofPhone), rethrow);
  expect(phones.map((phone) => rules.isCounted(promptOf({ phone })))).toEqual([false, true, false]);
});

describe("the memo", () => {
  test("keeps each outcome, its time and who decided it, in a short text", () => {
    const anyDecider: fc.Arbitrary<Decider> = fc.oneof(
      fc.constantFrom("header", "network_limit", "test_phone", "default", "person").map((who) => ({ who }) as Decider),
      fc.integer({ min: 1, max: 1000 }).map((rule) => ({ who: "rule" as const, rule })),
    );
    const anyScript = fc.record({
      outcome: fc.constantFrom(...OUTCOMES.map(({ name }) => name)),
      atMs: fc.option(fc.integer({ min: 0, max: 8.64e15 })),
      by: anyDecider,
    });
    fc.assert(
      fc.property(anyScript, (script) => {
        expect(readMemo(writeMemo(script))).toEqual(script);
        expect(writeMemo(script).length).toBeLessThan(50);
      }),
    );
  });

  test.each([
    "",
    "manual",
    "completed 5",
    "completed soon default",
    "completed 1.5 default",
    "nothing 5 default",
    "completed 5 nobody",
    "completed 5 rule:0",
  ])("cannot be %p: that is a bug", (memo) => {
    expect(() => readMemo(memo)).toThrow();
  });
});

test.each([
  ["completed 0 default", true],
  ["completed -1 default", false],
  [`completed ${Date.UTC(9999, 11, 31)} rule:999999999999999`, true],
  [`completed ${Date.UTC(9999, 11, 31) + 1}`, false],
  ["silent - test_phone", true],
  ["silent 5 test_phone", false],
  ["completed 5 nobody", false],
])("%s can be imported as a memo: %p", (memo, isAccepted) => {
  expect(isMemo(memo)).toBe(isAccepted);
});

test("each outcome has its own meaning", () => {
  expect(new Set(OUTCOMES.map(({ meaning }) => meaning)).size).toBe(OUTCOMES.length);
});

test("a test phone has its outcome, however the number is written; other phones have none", () => {
  for (const { name, phone } of OUTCOMES) {
    expect(outcomeOfPhone(parsePhone(phone))).toBe(name);
    expect(outcomeOfPhone(parsePhone(`0${phone.slice(3)}`))).toBe(name);
  }
  for (const phone of ["254700000002", "254712345678", "254100000000", "254700000501"]) {
    expect(outcomeOfPhone(parsePhone(phone))).toBeNull();
  }
});

test("each result code has its own meaning and its own advice, each as one or two short sentences", () => {
  const texts = Object.values(RESULT_CODES).flatMap(({ meaning, advice }) => [meaning, advice]);
  for (const text of texts) expect(text).toMatch(/^[A-Z].{10,160}\.$/);
  expect(new Set(texts).size).toBe(texts.length);
});

const nairobi = (year: number, month: number, day: number, hour: number, minute: number, second = 0) =>
  Date.UTC(year, month - 1, day, hour - 3, minute, second);

const EVENING_MS = nairobi(2026, 10, 2, 18, 11);

function smsOf(cents = 120_000, reference: string | null = "REF", atMs = EVENING_MS): string {
  const paid = { ...paidAt(atMs, "UJ22T8IYOU"), transactionCode: "CODE", completedAtMs: atMs };
  return receiptSms({ ...paid, amountCents: cents as AmountCents, reference }, "SHOP");
}

test("RECEIPT Confirmed. Ksh1,200.00 sent to BUSINESS for account REF on 2/10/26 at 6:11 PM", () => {
  expect(smsOf()).toBe("UJ22T8IYOU Confirmed. Ksh1,200.00 sent to SHOP for account REF on 2/10/26 at 6:11 PM");
});

test.each([null, ""])("without a reference (%p) there is no account", (reference) => {
  expect(smsOf(100, reference)).toBe("UJ22T8IYOU Confirmed. Ksh1.00 sent to SHOP on 2/10/26 at 6:11 PM");
});

test.each([
  [100, "Ksh1.00"],
  [150, "Ksh1.50"],
  [105, "Ksh1.05"],
  [99_999, "Ksh999.99"],
  [25_000_000, "Ksh250,000.00"],
  [99_999_999_999, "Ksh999,999,999.99"],
])("%d cents are %s", (cents, text) => {
  expect(smsOf(cents).split(" ")[2]).toBe(text);
});

test.each([
  [nairobi(2026, 1, 1, 9, 5), "1/1/26 at 9:05 AM"],
  [nairobi(2105, 2, 3, 9, 5), "3/2/05 at 9:05 AM"],
  [Date.UTC(2026, 11, 31, 21, 30), "1/1/27 at 12:30 AM"],
  [nairobi(2026, 11, 20, 0, 59, 59), "20/11/26 at 12:59 AM"],
  [nairobi(2026, 11, 20, 1, 0), "20/11/26 at 1:00 AM"],
  [nairobi(2026, 11, 20, 11, 59, 59), "20/11/26 at 11:59 AM"],
  [nairobi(2026, 11, 20, 12, 0), "20/11/26 at 12:00 PM"],
  [nairobi(2026, 11, 20, 13, 0), "20/11/26 at 1:00 PM"],
  [nairobi(2026, 11, 20, 23, 59, 59), "20/11/26 at 11:59 PM"],
])("the instant %d is %s in Nairobi", (atMs, text) => {
  expect(smsOf(100, null, atMs)).toEndWith(` on ${text}`);
});
