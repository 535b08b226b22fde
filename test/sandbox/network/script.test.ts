import { describe, expect, test } from "bun:test";
import type { Choice } from "../../../sandbox/network/choice.ts";
import { createRuleBook, type Rule } from "../../../sandbox/network/rules.ts";
import { decide, NETWORK_LIMIT_CENTS } from "../../../sandbox/network/script.ts";
import { parseAmount } from "../../../src/domain/money.ts";
import { parsePhone } from "../../../src/domain/phone.ts";
import type { Prompt } from "../../../src/domain/provider.ts";
import { CREATED_AT_MS } from "../../support/payments.ts";
import { promptOf } from "../../support/prompts.ts";

const FALLBACK: Choice = { outcome: "completed", afterMs: 3000 };
const wrongPinPhone = parsePhone("254700000201");
const tooMuch = parseAmount(250_000.01);

function decideBy(prompt: Prompt, fallback: Choice, ...rules: Rule[]) {
  const book = createRuleBook();
  book.append(rules);
  return decide(prompt, book, fallback);
}

describe("what a prompt does is decided by the first that speaks", () => {
  const unlucky: Rule = { match: {}, choice: { outcome: "insufficient_funds", afterMs: 7000 }, times: null };

  test("1. the header, even over KES 250,000 to a test phone that a rule matches", () => {
    const prompt = promptOf({ instruction: "cancelled", amountCents: tooMuch, phone: wrongPinPhone });
    expect(decideBy(prompt, FALLBACK, unlucky)).toMatchObject({ outcome: "cancelled", by: { who: "header" } });
  });

  test("2. the rules, even over KES 250,000 to a test phone", () => {
    expect(decideBy(promptOf({ amountCents: tooMuch, phone: wrongPinPhone }), FALLBACK, unlucky)).toEqual({
      outcome: "insufficient_funds",
      atMs: CREATED_AT_MS + 7000,
      by: { who: "rule", rule: 1 },
    });
  });

  test("then the network's own limit: above KES 250,000 it declines, even to a test phone", () => {
    expect(decideBy(promptOf({ amountCents: tooMuch, phone: wrongPinPhone }), FALLBACK)).toEqual({
      outcome: "over_limit",
      atMs: CREATED_AT_MS + 3000,
      by: { who: "network_limit" },
    });
  });

  test("3. the table of test phones", () => {
    expect(decideBy(promptOf({ phone: wrongPinPhone }), { outcome: "cancelled", afterMs: 9000 })).toEqual({
      outcome: "wrong_pin",
      atMs: CREATED_AT_MS + 3000,
      by: { who: "test_phone" },
    });
  });

  test("4. the default, with its own time", () => {
    expect(decideBy(promptOf(), { outcome: "cancelled", afterMs: 9000 })).toEqual({
      outcome: "cancelled",
      atMs: CREATED_AT_MS + 9000,
      by: { who: "default" },
    });
  });
});

test("KES 250,000.00 exactly is not above the limit", () => {
  expect(NETWORK_LIMIT_CENTS).toBe(25_000_000);
  expect(decideBy(promptOf({ amountCents: parseAmount(250_000) }), FALLBACK).outcome).toBe("completed");
  expect(decideBy(promptOf({ amountCents: parseAmount(250_000.01) }), FALLBACK).outcome).toBe("over_limit");
  expect(decideBy(promptOf({ amountCents: parseAmount(999_999_999.99) }), FALLBACK).outcome).toBe("over_limit");
});

describe("when the network answers", () => {
  test("after the time that the header names, counted from the push", () => {
    expect(decideBy(promptOf({ instruction: "completed; after=10s" }), FALLBACK).atMs).toBe(CREATED_AT_MS + 10_000);
    expect(decideBy(promptOf({ instruction: "completed; after=0s" }), FALLBACK).atMs).toBe(CREATED_AT_MS);
  });

  test("after the table's time where nobody names one, not after the default's", () => {
    const slow: Choice = { outcome: "completed", afterMs: 20_000 };
    expect(decideBy(promptOf({ instruction: "completed" }), slow).atMs).toBe(CREATED_AT_MS + 3000);
    expect(decideBy(promptOf({ instruction: "unreachable" }), slow).atMs).toBe(CREATED_AT_MS + 15_000);
  });

  test("expired: when the prompt timeout is over", () => {
    expect(decideBy(promptOf({ instruction: "expired", expiresAtMs: CREATED_AT_MS + 777 }), FALLBACK).atMs).toBe(
      CREATED_AT_MS + 777,
    );
  });

  test.each(["silent", "manual", "refused"] as const)("%s: never", (outcome) => {
    expect(decideBy(promptOf({ instruction: outcome }), FALLBACK)).toMatchObject({ outcome, atMs: null });
    expect(decideBy(promptOf(), { outcome, afterMs: 3000 })).toMatchObject({ outcome, atMs: null });
  });
});
