import { expect, test } from "bun:test";
import type { Outcome, Paid } from "../../src/domain/outcome.ts";
import { open, resolve } from "../../src/domain/state-machine.ts";
import { CREATED_AT_MS, factsOf } from "../support/shop.ts";

const facts = { ...factsOf({ createdAtMs: CREATED_AT_MS, expiresAtMs: CREATED_AT_MS + 60_000 }), id: 1 };
const pending = open(facts, "memo", CREATED_AT_MS + 3000);
const UNPAID = ["failed", "cancelled", "expired"] as const;

/** What each status means is in http/start-payment.test.ts, and when an outcome counts in service/provider.test.ts. */

const ended = { resultCode: 0, resultDesc: "why", atMs: CREATED_AT_MS + 3000 };
const payment: Paid = { ...ended, status: "completed", resultCode: 0, receiptNumber: "UJ22T8IYOU" };

test("a deadline that is not after the start is a bug", () => {
  expect(() => open({ ...facts, expiresAtMs: facts.createdAtMs }, "memo", CREATED_AT_MS)).toThrow();
  expect(open({ ...facts, expiresAtMs: facts.createdAtMs + 1 }, "memo", CREATED_AT_MS).status).toBe("pending");
});

test("a payment is checked at its deadline at the latest, whatever the network says", () => {
  for (const laterMs of [0, 1, 86_400_000])
    expect(open(facts, "memo", facts.expiresAtMs + laterMs).checkAtMs).toBe(facts.expiresAtMs);
});

test("0 is the result code of payments, and of nothing else", () => {
  expect(resolve(pending, payment).status).toBe("completed");
  expect(() => resolve(pending, { ...payment, resultCode: 1 } as unknown as Outcome)).toThrow();
  for (const status of UNPAID) {
    expect(resolve(pending, { ...ended, status, resultCode: 1032 }).status).toBe(status);
    expect(() => resolve(pending, { ...ended, status })).toThrow();
  }
});

test.each(["completed", ...UNPAID])("%s never changes: it is not resolved again", (status) => {
  expect(() => resolve({ ...pending, status } as unknown as typeof pending, payment)).toThrow();
});
