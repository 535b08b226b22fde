import { describe, expect, test } from "bun:test";
import type { NotPaid, Outcome, Paid } from "../../src/domain/outcome.ts";
import { expire, open, resolve } from "../../src/domain/state-machine.ts";
import { CREATED_AT_MS, factsOf } from "../support/payments.ts";

const facts = { ...factsOf({ createdAtMs: CREATED_AT_MS, expiresAtMs: CREATED_AT_MS + 60_000 }), id: 1 };
const pending = open(facts, "memo", CREATED_AT_MS + 3000);
const EXPIRED = { status: "expired", resultCode: 1019, resultDesc: "Transaction has expired." } as const;
const UNPAID = ["failed", "cancelled", "expired"] as const;

function payment(changes: Partial<Paid> = {}): Paid {
  const atMs = CREATED_AT_MS + 3000;
  return { status: "completed", resultCode: 0, resultDesc: "paid", receiptNumber: "UJ22T8IYOU", atMs, ...changes };
}
const nonpayment = (changes: Partial<NotPaid>): NotPaid => {
  return { status: "failed", resultCode: 1032, resultDesc: "why", atMs: CREATED_AT_MS + 3000, ...changes };
};

describe("(none) → pending: the provider accepted the prompt", () => {
  test("there is no outcome yet", () => {
    expect<object>(pending).toEqual({ ...facts, status: "pending", memo: "memo", checkAtMs: CREATED_AT_MS + 3000 });
  });

  test("the first check is at the deadline at the latest, so that every payment ends", () => {
    expect(open(facts, "memo", facts.expiresAtMs).checkAtMs).toBe(facts.expiresAtMs);
    expect(open(facts, "memo", facts.expiresAtMs + 1).checkAtMs).toBe(facts.expiresAtMs);
  });

  test("a deadline that is not after the start is a bug", () => {
    expect(() => open({ ...facts, expiresAtMs: facts.createdAtMs }, "memo", CREATED_AT_MS)).toThrow();
    expect(open({ ...facts, expiresAtMs: facts.createdAtMs + 1 }, "memo", CREATED_AT_MS).status).toBe("pending");
  });
});

describe("pending → completed, failed, cancelled, expired", () => {
  test("completed has a code, a receipt, the result code 0 and the time of the payment", () => {
    expect(resolve(pending, payment())).toEqual({
      ...facts,
      memo: "memo",
      status: "completed",
      transactionCode: "T00000000001",
      receiptNumber: "UJ22T8IYOU",
      resultCode: 0,
      resultDesc: "paid",
      completedAtMs: CREATED_AT_MS + 3000,
    });
  });

  test.each(UNPAID)("%s has only the result code and its text", (status) => {
    const result = { status, resultCode: 1032, resultDesc: "why" };
    expect(resolve(pending, nonpayment({ status }))).toEqual({ ...facts, memo: "memo", ...result });
  });

  test("only an outcome before the deadline counts; at the deadline the payment expires", () => {
    const expired = { ...facts, memo: "memo", ...EXPIRED };
    expect(expire(pending)).toEqual(expired);
    for (const outcome of [payment({ memo: "by hand" }), nonpayment({ memo: "by hand" })]) {
      expect(resolve(pending, { ...outcome, atMs: facts.expiresAtMs - 1 }).status).toBe(outcome.status);
      expect(resolve(pending, { ...outcome, atMs: facts.expiresAtMs })).toEqual(expired);
      expect(resolve(pending, { ...outcome, atMs: facts.expiresAtMs + 1 })).toEqual(expired);
    }
  });

  test("a memo that arrives with the outcome replaces the first one", () => {
    expect(resolve(pending, payment({ memo: "by hand" })).memo).toBe("by hand");
    expect(resolve(pending, nonpayment({ memo: "by hand" })).memo).toBe("by hand");
  });

  test("0 is the result code of payments, and of nothing else", () => {
    expect(() => resolve(pending, { ...payment(), resultCode: 1 } as unknown as Outcome)).toThrow();
    for (const status of UNPAID) expect(() => resolve(pending, nonpayment({ status, resultCode: 0 }))).toThrow();
  });
});

test.each(["completed", ...UNPAID])("%s never changes: it is not resolved again", (status) => {
  expect(() => resolve({ ...pending, status } as unknown as typeof pending, payment())).toThrow();
});
