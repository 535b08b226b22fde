import { describe, expect, test } from "bun:test";
import type { Choice } from "../../../sandbox/network/choice.ts";
import { createRuleBook, type Rule } from "../../../sandbox/network/rules.ts";
import { decide, NETWORK_LIMIT_CENTS } from "../../../sandbox/network/script.ts";
import { parseAmount } from "../../../src/domain/money.ts";
import type { Prompt } from "../../../src/domain/provider.ts";
import { CREATED_AT_MS } from "../../support/payments.ts";
import { promptOf } from "../../support/prompts.ts";

const FALLBACK: Choice = { outcome: "completed", afterMs: 3000 };

function decideBy(prompt: Prompt, fallback: Choice, ...rules: Rule[]) {
  const book = createRuleBook();
  book.append(rules);
  return decide(prompt, book, fallback);
}

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
