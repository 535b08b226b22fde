import { describe, expect, test } from "bun:test";
import type { OutcomeName } from "../../../sandbox/network/outcomes.ts";
import { createRuleBook, MAX_RULES, type Rule } from "../../../sandbox/network/rules.ts";
import { parseAmount } from "../../../src/domain/money.ts";
import { parsePhone } from "../../../src/domain/phone.ts";
import { promptOf } from "../../support/prompts.ts";

const rule = (outcome: OutcomeName, match: Rule["match"] = {}, times: number | null = null): Rule => ({
  match,
  choice: { outcome, afterMs: null },
  times,
});

describe("rules", () => {
  test("none: nothing is decided", () => {
    expect(createRuleBook().take(promptOf())).toBeNull();
  });

  test("the first that matches decides", () => {
    const book = createRuleBook();
    book.append([rule("cancelled", { reference: "A" }), rule("wrong_pin"), rule("expired")]);
    expect(book.take(promptOf())?.outcome).toBe("wrong_pin");
    expect(book.take(promptOf({ reference: "A" }))?.outcome).toBe("cancelled");
  });

  test.each([
    ["phone", { phone: parsePhone("0722000000") }],
    ["amount", { amountCents: parseAmount(55.5) }],
    ["payment account", { paymentAccountId: 9 }],
    ["reference", { reference: "order-9" }],
  ] as const)("match by %s alone", (_what, match) => {
    const book = createRuleBook();
    book.append([rule("cancelled", match)]);
    expect(book.take(promptOf())).toBeNull();
    expect(book.take(promptOf(match))?.outcome).toBe("cancelled");
  });

  test("match where all that they name matches", () => {
    const book = createRuleBook();
    book.append([rule("cancelled", { reference: "A", paymentAccountId: 1 })]);
    expect(book.take(promptOf({ reference: "A", paymentAccountId: 2 }))).toBeNull();
    expect(book.take(promptOf({ reference: "A", paymentAccountId: 1 }))?.outcome).toBe("cancelled");
  });

  test("the place of the rule is told, as it was when it decided", () => {
    const book = createRuleBook();
    book.append([rule("cancelled", {}, 1), rule("wrong_pin", { reference: "A" }), rule("expired")]);
    const places = [promptOf(), promptOf(), promptOf({ reference: "A" })].map((prompt) => book.take(prompt)?.rule);
    expect(places).toEqual([1, 2, 1]);
  });

  test("two rules with times give: fail twice, then succeed", () => {
    const book = createRuleBook();
    book.append([rule("insufficient_funds", {}, 2), rule("completed", {}, 1)]);
    const taken = [1, 2, 3, 4].map(() => book.take(promptOf())?.outcome ?? null);
    expect(taken).toEqual(["insufficient_funds", "insufficient_funds", "completed", null]);
    expect(book.list()).toEqual([]);
  });

  test("a prompt that does not match uses nothing up", () => {
    const book = createRuleBook();
    book.append([rule("cancelled", { reference: "A" }, 1)]);
    book.take(promptOf());
    expect(book.list()).toEqual([rule("cancelled", { reference: "A" }, 1)]);
  });

  test("what is left of a count shows in the list, in its place", () => {
    const book = createRuleBook();
    book.append([rule("cancelled", {}, 3), rule("wrong_pin")]);
    book.take(promptOf());
    expect(book.list()).toEqual([rule("cancelled", {}, 2), rule("wrong_pin")]);
  });

  test(`are at most ${MAX_RULES}; one more changes nothing`, () => {
    const book = createRuleBook();
    book.replace(Array.from({ length: MAX_RULES }, () => rule("cancelled")));
    expect(() => book.append([rule("cancelled")])).toThrow(`there can be at most ${MAX_RULES} rules`);
    expect(book.list()).toHaveLength(MAX_RULES);
    book.replace([]);
    expect(book.list()).toEqual([]);
  });
});
