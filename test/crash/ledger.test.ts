import { beforeEach, describe, expect, test } from "bun:test";
import { ASKED_FOR, type Attempt, type Item, Ledger, type Outcome } from "./ledger.ts";

/** What the scenarios rest on: the ledger finds each way in which a server can break its word. */

const PAID = ASKED_FOR.find(({ name }) => name === "completed") as Outcome;
const BY_HAND = ASKED_FOR.find(({ name }) => name === "manual") as Outcome;

let ledger: Ledger;
let answered: Attempt;
beforeEach(() => {
  ledger = new Ledger();
  answered = ledger.begin(PAID);
  answered.checkoutRequestId = "ws_CO_1";
});

const pending = (changes: Partial<Item> = {}): Item => ({
  id: 1,
  amount: answered.amount,
  status: "pending",
  result_code: null,
  checkout_request_id: "ws_CO_1",
  transaction_code: null,
  momo_receipt_number: null,
  completed_at: null,
  ...changes,
});
const paid = (changes: Partial<Item> = {}): Item =>
  pending({
    status: "completed",
    result_code: 0,
    transaction_code: "C1",
    momo_receipt_number: "R1",
    completed_at: "2026-11-20 10:00:03",
    ...changes,
  });

test("what is as it was told is fine, pending and final", () => {
  ledger.check([pending()]);
  ledger.checkFinal([paid()]);
});

test("one that nobody answered is there once or not at all", () => {
  const unanswered = ledger.begin(PAID);
  ledger.check([pending()]);
  ledger.check([pending(), pending({ id: 2, amount: unanswered.amount, checkout_request_id: "ws_CO_2" })]);
});

describe("found and named", () => {
  const BROKEN: [name: string, items: () => Item[], says: RegExp][] = [
    ["a payment that is lost", () => [], /is lost/],
    ["a payment that is doubled", () => [pending(), pending({ id: 2, checkout_request_id: "ws_CO_2" })], /doubled/],
    ["an id that is given twice", () => [pending(), pending({ amount: 2, checkout_request_id: "ws_CO_2" })], /an id/],
    ["another request id than was told", () => [pending({ checkout_request_id: "ws_CO_2" })], /was ws_CO_1/],
    [
      "a payment that nobody asked for",
      () => [pending(), pending({ id: 2, amount: 9, checkout_request_id: "x" })],
      /nobody/,
    ],
  ];
  test.each(BROKEN)("%s", (_name, items, says) => {
    expect(() => ledger.check(items())).toThrow(says);
  });

  test("a final state that changes", () => {
    ledger.check([paid()]);
    expect(() => ledger.check([pending({ status: "failed", result_code: 1 })])).toThrow(/was final/);
  });

  test("one that has been seen, and is lost later, answered or not", () => {
    const unanswered = ledger.begin(PAID);
    const seen = pending({ id: 2, amount: unanswered.amount, checkout_request_id: "ws_CO_2" });
    ledger.check([pending(), seen]);
    expect(() => ledger.check([pending()])).toThrow(/is lost/);
  });

  test("one that was refused, and is there", () => {
    const refused = ledger.begin(PAID);
    refused.refused = true;
    const there = pending({ id: 2, amount: refused.amount, checkout_request_id: "ws_CO_2" });
    expect(() => ledger.check([pending(), there])).toThrow(/was refused/);
  });

  test("an end that it was not going to have, and half an outcome", () => {
    expect(() => ledger.checkFinal([pending({ status: "expired", result_code: 1019 })])).toThrow(/ended as/);
    expect(() => new Ledger().checkFinal([])).not.toThrow();
  });

  test("half an outcome", () => {
    expect(() => ledger.checkFinal([paid({ momo_receipt_number: null })])).toThrow(/half an outcome/);
  });

  test("what a customer answered by hand, and was told of, and is not so", () => {
    const manual = ledger.begin(BY_HAND);
    manual.checkoutRequestId = "ws_CO_2";
    manual.byHand = { status: "cancelled", told: true };
    const expired = pending({ id: 2, amount: manual.amount, checkout_request_id: "ws_CO_2", status: "expired" });
    expect(() => ledger.check([pending(), expired])).toThrow(/was cancelled/);
  });
});
