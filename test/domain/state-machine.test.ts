import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Nonpayment, Outcome, Payment } from "../../src/domain/outcome.ts";
import { expire, open, resolve } from "../../src/domain/state-machine.ts";
import { CREATED_AT_MS, factsOf } from "../support/payments.ts";

const facts = factsOf({ createdAtMs: CREATED_AT_MS, expiresAtMs: CREATED_AT_MS + 60_000 });
const pending = { ...open(facts, "memo", CREATED_AT_MS + 3000), id: 1 };

function payment(changes: Partial<Payment> = {}): Payment {
  const atMs = CREATED_AT_MS + 3000;
  return { status: "completed", resultCode: 0, resultDesc: "paid", receiptNumber: "UJ22T8IYOU", atMs, ...changes };
}

describe("(none) → pending: a payment that the provider took", () => {
  test("nothing of an outcome is there yet", () => {
    expect(open(facts, "memo", CREATED_AT_MS + 3000)).toEqual({
      ...facts,
      status: "pending",
      memo: "memo",
      checkAtMs: CREATED_AT_MS + 3000,
    });
  });

  test("the deadline bounds the first check, so that every pending transaction ends", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (checkAtMs) => {
        const opened = open(facts, "memo", checkAtMs);
        expect(opened.checkAtMs).toBe(Math.min(checkAtMs, facts.expiresAtMs));
      }),
    );
  });

  test("a prompt lives for some time", () => {
    expect(() => open({ ...facts, expiresAtMs: facts.createdAtMs }, "memo", CREATED_AT_MS)).toThrow();
    expect(() => open({ ...facts, expiresAtMs: facts.createdAtMs - 1 }, "memo", CREATED_AT_MS)).toThrow();
    expect(open({ ...facts, expiresAtMs: facts.createdAtMs + 1 }, "memo", CREATED_AT_MS).status).toBe("pending");
  });
});

describe("pending → completed: the provider confirms", () => {
  test("code, receipt, result code 0 and the time of the payment are set at that moment", () => {
    expect(resolve(pending, payment())).toEqual({
      ...facts,
      id: 1,
      memo: "memo",
      status: "completed",
      transactionCode: "T00000000001",
      receiptNumber: "UJ22T8IYOU",
      resultCode: 0,
      resultDesc: "paid",
      completedAtMs: CREATED_AT_MS + 3000,
    });
  });

  test("a payment at the deadline or after it is none", () => {
    expect(resolve(pending, payment({ atMs: facts.expiresAtMs }))).toEqual(expire(pending));
    expect(resolve(pending, payment({ atMs: facts.expiresAtMs + 1 }))).toEqual(expire(pending));
  });

  test("a payment in the last millisecond before it is one", () => {
    expect(resolve(pending, payment({ atMs: facts.expiresAtMs - 1 }))).toMatchObject({
      status: "completed",
      completedAtMs: facts.expiresAtMs - 1,
    });
  });

  test("a payment with another result code than 0 is refused", () => {
    const contradiction = { ...payment(), resultCode: 1 } as unknown as Outcome;
    expect(() => resolve(pending, contradiction)).toThrow();
  });
});

describe("pending → failed, cancelled, expired", () => {
  test.each(["failed", "cancelled", "expired"] as const)(
    "%s: result code and text, no code, no receipt, no time",
    (status) => {
      const outcome: Nonpayment = { status, resultCode: 1032, resultDesc: "why", atMs: CREATED_AT_MS + 3000 };
      expect(resolve(pending, outcome)).toEqual({
        ...facts,
        id: 1,
        memo: "memo",
        status,
        resultCode: 1032,
        resultDesc: "why",
      });
    },
  );

  test("at the deadline and after it they do not count", () => {
    const late: Nonpayment = { status: "failed", resultCode: 1, resultDesc: "why", atMs: facts.expiresAtMs + 5 };
    expect(resolve(pending, late)).toEqual(expire(pending));
  });

  test.each(["failed", "cancelled", "expired"] as const)(
    "%s with the result code of a payment is refused",
    (status) => {
      expect(() => resolve(pending, { status, resultCode: 0, resultDesc: "?", atMs: CREATED_AT_MS })).toThrow();
    },
  );

  test("at the deadline the service says: expired, 1019, Transaction has expired.", () => {
    expect(expire(pending)).toEqual({
      ...facts,
      id: 1,
      memo: "memo",
      status: "expired",
      resultCode: 1019,
      resultDesc: "Transaction has expired.",
    });
  });
});

describe("codes and receipts are there exactly when the payment is completed", () => {
  test("for every outcome", () => {
    const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
      fc.integer({ min: 0, max: 100_000 }).map((after) => payment({ atMs: CREATED_AT_MS + after })),
      fc.record({
        status: fc.constantFrom("failed" as const, "cancelled" as const, "expired" as const),
        resultCode: fc.integer({ min: 1, max: 9999 }),
        resultDesc: fc.string(),
        atMs: fc.integer({ min: CREATED_AT_MS, max: CREATED_AT_MS + 100_000 }),
      }),
    );
    fc.assert(
      fc.property(anyOutcome, (outcome) => {
        const result = resolve(pending, outcome);
        const paid = result.status === "completed";
        expect(result.status).toBe(outcome.atMs < facts.expiresAtMs ? outcome.status : "expired");
        expect(result.resultCode === 0).toBe(paid);
        for (const member of ["transactionCode", "receiptNumber", "completedAtMs"]) expect(member in result).toBe(paid);
      }),
    );
  });
});

describe("the provider's own note stays when the payment is final", () => {
  test("the one it gave at the start, or the one that came with the outcome", () => {
    expect(resolve(pending, payment()).memo).toBe("memo");
    expect(resolve(pending, payment({ memo: "by hand" })).memo).toBe("by hand");
    expect(expire(pending).memo).toBe("memo");
  });

  test("an outcome that comes too late leaves no note", () => {
    expect(resolve(pending, payment({ atMs: facts.expiresAtMs, memo: "by hand" })).memo).toBe("memo");
  });
});

test("a final state never changes: it is not resolved again", () => {
  for (const status of ["completed", "failed", "cancelled", "expired"]) {
    const final = { ...pending, status } as unknown as typeof pending;
    expect(() => resolve(final, payment())).toThrow();
  }
});
