import { afterEach, describe, expect, spyOn, test } from "bun:test";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { NotYet, Provider } from "../../src/domain/provider.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import type { SavedTransactions } from "../../src/service/service.ts";
import { type Caller, type Harness, openHarness, pay, START_MS, statusOf } from "../support/harness.ts";
import { createProvider } from "../support/manual-service.ts";
import { paidAt } from "../support/payments.ts";

type Answer = Outcome | NotYet;

let harness: Harness;
let caller: Caller;
afterEach(() => harness.close());

async function open(check: Provider["check"], promptTimeoutMs = 60_000) {
  harness = openHarness({ provider: createProvider(check), promptTimeoutMs });
  caller = await harness.addCaller("Shop");
}

const receiptOf = ({ id }: PendingTransaction) => `RECEIPT${id}`;
const paid = (pending: PendingTransaction, nowMs: number) => paidAt(nowMs, receiptOf(pending));
const EXPIRED = { status: "expired", resultCode: 1019, resultDesc: "Transaction has expired." };

async function advance(count: number, stepMs: number) {
  for (let step = 0; step < count; step++) await harness.advance(stepMs);
}

describe("each payment ends by its deadline, whatever the provider does", () => {
  test("a check that throws is repeated a second later, and the error is reported", async () => {
    const asked: number[] = [];
    await open(async (pending, nowMs) => {
      asked.push(nowMs - START_MS);
      if (asked.length < 3) throw new Error("no network");
      return paid(pending, nowMs);
    });
    const started = await pay(harness, caller);
    await advance(25, 200);
    expect(asked).toEqual([3000, 4000, 5000]);
    expect(harness.faults.map(String)).toEqual(["Error: no network", "Error: no network"]);
    expect(await statusOf(harness, caller, started)).toMatchObject({ completedAtMs: START_MS + 5000 });
  });

  test("a provider that always throws, before it returns a promise", async () => {
    await open(() => {
      throw new Error("no network");
    });
    const started = await pay(harness, caller);
    await advance(20, 3000);
    expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
    expect(harness.faults.length).toBe(20);
  });

  test.each([-86_400_000, 0])(
    "a provider that asks for its next check %p ms later is not checked at once",
    async (ms) => {
      let asked = 0;
      await open(async (_pending, nowMs) => {
        asked += 1;
        return { status: "pending", checkAtMs: nowMs + ms };
      });
      const started = await pay(harness, caller);
      await harness.advance(3000);
      expect(asked).toBe(1);
      await harness.advance(1);
      expect(asked).toBe(2);
      await harness.advance(60_000);
      expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
    },
  );

  test.each([5000, 60_000])(
    "a provider that wants to be asked after the deadline, %p ms after the start",
    async (ms) => {
      await open(async (_pending, nowMs) => ({ status: "pending", checkAtMs: nowMs + 86_400_000 }), ms);
      const started = await pay(harness, caller);
      await harness.advance(3000);
      await harness.advance(ms - 3001);
      expect((await statusOf(harness, caller, started)).status).toBe("pending");
      await harness.advance(1);
      expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
    },
  );

  test.each([0, 86_400_000])("an outcome %p ms after the deadline does not count", async (lateMs) => {
    await open(async (pending) => paidAt(pending.expiresAtMs + lateMs, receiptOf(pending)));
    const started = await pay(harness, caller);
    await harness.advance(120_000);
    expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
  });

  test("an outcome before the deadline counts, although the check is late", async () => {
    await open(async (pending) => paidAt(pending.createdAtMs + 10, receiptOf(pending)));
    const started = await pay(harness, caller);
    await harness.advance(3_600_000);
    expect(await statusOf(harness, caller, started)).toMatchObject({ completedAtMs: START_MS + 10 });
  });

  test("each check has the memo that the provider gave at the start", async () => {
    const memos: string[] = [];
    await open(async (pending, nowMs) => {
      memos.push(pending.memo);
      return { status: "pending", checkAtMs: nowMs + 5000 };
    });
    await pay(harness, caller);
    await harness.advance(3000);
    await harness.advance(5000);
    expect(memos).toEqual(["memo 1", "memo 1"]);
  });
});

describe("no payment waits for the provider's answer about another", () => {
  /** The provider pays three payments at once, except the second: the test answers each check of it. */
  async function openWithSilence() {
    const questions: ((answer: Answer) => void)[] = [];
    await open(async (pending, nowMs) => {
      if (pending.id !== 2) return paid(pending, nowMs);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      questions.push(resolve);
      return promise;
    });
    const started = [await pay(harness, caller), await pay(harness, caller), await pay(harness, caller)] as const;
    const second = async () => (await statusOf(harness, caller, started[1])).status;
    await harness.advance(3000);
    for (const one of [started[0], started[2]]) {
      expect((await statusOf(harness, caller, one)).status).toBe("completed");
    }
    expect(await second()).toBe("pending");
    async function answer(index: number, what: Answer) {
      questions[index]?.(what);
      await advance(2, 0);
    }
    return { questions, id: started[1].checkoutRequestId, second, answer };
  }

  const CANCELLED = { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: START_MS + 3500 } as const;

  test("if the answer never arrives, the payment is checked once, however often it is polled, and expires", async () => {
    const { questions, second } = await openWithSilence();
    for (let step = 0; step < 19; step++) {
      await harness.advance(2999);
      expect(await second()).toBe("pending");
    }
    await harness.advance(19);
    expect(await second()).toBe("expired");
    expect(questions.length).toBe(1);
  });

  test("an answer that arrives after its round counts, and is announced", async () => {
    const { second, answer } = await openWithSilence();
    const announced: string[] = [];
    harness.service.subscribe(({ id, status }) => announced.push(`${id} ${status}`));
    await answer(0, CANCELLED);
    expect(await second()).toBe("cancelled");
    expect(announced).toEqual(["2 cancelled"]);
  });

  test("a late answer with the time of the next check counts, too", async () => {
    const { questions, second, answer } = await openWithSilence();
    await answer(0, { status: "pending", checkAtMs: START_MS + 33_000 });
    await advance(29, 1000);
    expect(questions.length).toBe(1);
    await harness.advance(1000);
    expect(questions.length).toBe(2);
    await answer(1, paidAt(START_MS + 33_000, "RECEIPT2"));
    expect(await second()).toBe("completed");
  });

  test("a provider that is slow each time is checked when it asks for that, not each second", async () => {
    const asked: number[] = [];
    await open((_pending, nowMs) => {
      asked.push(nowMs - START_MS);
      const { promise, resolve } = Promise.withResolvers<NotYet>();
      harness.clock.alarm(nowMs + 50, () => resolve({ status: "pending", checkAtMs: nowMs + 30_000 }));
      return promise;
    });
    const started = await pay(harness, caller);
    await advance(119, 500);
    expect(asked).toEqual([3000, 33_000]);
    await harness.advance(500);
    expect(await statusOf(harness, caller, started)).toMatchObject(EXPIRED);
  });

  test("a late answer does not change a payment that a person has answered", async () => {
    const { id, second, answer } = await openWithSilence();
    await harness.service.answerPrompt(id, () => CANCELLED);
    const rounds = spyOn(harness.service.resolver, "resolveDue");
    await answer(0, paidAt(START_MS + 4000, "RECEIPT2"));
    expect(rounds).toHaveBeenCalledTimes(2); // those of the advances: the answer itself starts none
    expect(await second()).toBe("cancelled");
    expect(harness.faults).toEqual([]);
  });

  test("an answer after the deadline changes nothing, also if its outcome is earlier", async () => {
    const { second, answer } = await openWithSilence();
    await harness.advance(60_000);
    await answer(0, paidAt(START_MS + 4000, "RECEIPT2"));
    expect(await second()).toBe("expired");
  });

  test("an answer after the stop is left to the next start", async () => {
    const { second, answer } = await openWithSilence();
    await harness.service.resolver.stop();
    await answer(0, paidAt(START_MS + 4000, "RECEIPT2"));
    expect(await second()).toBe("pending");
    expect(harness.faults).toEqual([]);
  });

  test("an answer about a payment that was forgotten in the meantime changes no other", async () => {
    const { answer } = await openWithSilence();
    await harness.service.forgetTransactions();
    const other = await pay(harness, caller);
    await answer(0, CANCELLED);
    expect((await statusOf(harness, caller, other)).status).toBe("pending");
  });

  test("an outcome that was decided before a restore is not written to the restored payment", async () => {
    const restoring: Promise<void>[] = [];
    await open(async (pending, nowMs) => {
      if (restoring.length > 0) return { status: "pending", checkAtMs: nowMs + 30_000 };
      restoring.push(harness.service.restoreTransactions(saved));
      return paid(pending, nowMs);
    });
    const started = await pay(harness, caller);
    const saved = (await harness.service.saveTransactions(1)) as SavedTransactions;
    await harness.advance(3000);
    await Promise.all(restoring);
    await advance(2, 0);
    expect((await statusOf(harness, caller, started)).status).toBe("pending");
  });

  test("a late answer that cannot be written is reported, and the payment expires", async () => {
    const { second, answer } = await openWithSilence();
    await answer(0, paidAt(START_MS + 4000, "RECEIPT1"));
    expect(harness.faults.map(String)).toEqual([expect.stringContaining("UNIQUE constraint failed")]);
    await harness.advance(60_000);
    expect(await second()).toBe("expired");
  });
});

test.each<[string, (pending: PendingTransaction, nowMs: number) => Answer]>([
  ["a receipt number of another payment", (_pending, nowMs) => paidAt(nowMs, "RECEIPT1")],
  [
    "a failure with the code of a payment",
    (_pending, atMs) => ({ status: "failed", resultCode: 0, resultDesc: "?", atMs }),
  ],
])("an impossible answer does not hold up other payments: %s", async (_what, answer) => {
  await open(async (pending, nowMs) => (pending.id === 2 ? answer(pending, nowMs) : paid(pending, nowMs)));
  const [first, bad, third] = [await pay(harness, caller), await pay(harness, caller), await pay(harness, caller)];
  await harness.advance(3000);
  expect((await statusOf(harness, caller, first)).status).toBe("completed");
  expect((await statusOf(harness, caller, third)).status).toBe("completed");
  await harness.advance(60_000);
  expect((await statusOf(harness, caller, bad)).status).toBe("expired");
  expect(harness.faults).not.toEqual([]);
});
