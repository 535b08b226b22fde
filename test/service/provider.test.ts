import { afterEach, describe, expect, test } from "bun:test";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { NotYet, Provider } from "../../src/domain/provider.ts";
import type { PendingTransaction } from "../../src/domain/transaction.ts";
import { MAX_CHECKS } from "../../src/service/checks.ts";
import { pay, statusOf } from "../support/caller.ts";
import { type Caller, type Harness, openHarness, START_MS } from "../support/harness.ts";
import { paidAt } from "../support/payments.ts";
import { createProvider } from "../support/provider.ts";

let harness: Harness;
let caller: Caller;
afterEach(() => harness.close());

async function open(check: Provider["check"], firstCheckAfterMs = 3000) {
  harness = openHarness({ provider: createProvider(check, firstCheckAfterMs) });
  caller = await harness.addCaller("Shop");
}

const receiptOf = ({ id }: PendingTransaction) => `RECEIPT${id}`;
const paid = (pending: PendingTransaction, nowMs: number) => paidAt(nowMs, receiptOf(pending));

describe("each payment ends by its deadline, whatever the provider says or does not say", () => {
  test("a provider that throws is asked again a second later, and the fault is told", async () => {
    const asked: number[] = [];
    await open(async (pending, nowMs) => {
      asked.push(nowMs - START_MS);
      if (asked.length < 3) throw new Error("the network is away");
      return paid(pending, nowMs);
    });
    const started = await pay(harness, caller);
    for (let step = 0; step < 50; step++) await harness.advance(100);
    expect(asked).toEqual([3000, 4000, 5000]);
    expect(harness.faults.map(String)).toEqual(["Error: the network is away", "Error: the network is away"]);
    expect(await statusOf(harness, caller, started)).toMatchObject({ completedAtMs: START_MS + 5000 });
  });

  test("a provider that always throws, even before it returns a promise", async () => {
    await open(() => {
      throw new Error("the network is away");
    });
    const started = await pay(harness, caller);
    for (let step = 0; step < 60; step++) await harness.advance(1000);
    expect(await statusOf(harness, caller, started)).toMatchObject({ status: "expired", resultCode: 1019 });
    expect(harness.faults.length).toBeGreaterThan(50);
  });

  test.each<[string, number]>([
    ["in the past", -86_400_000],
    ["now", 0],
  ])("a provider that always wants to be asked again %s is not asked without end", async (_what, offsetMs) => {
    let asked = 0;
    await open(async (_pending, nowMs) => {
      asked += 1;
      return { status: "pending", checkAtMs: nowMs + offsetMs };
    });
    const started = await pay(harness, caller);
    await harness.advance(3000);
    expect(asked).toBe(1);
    await harness.advance(1);
    expect(asked).toBe(2);
    await harness.advance(60_000);
    expect(await statusOf(harness, caller, started)).toMatchObject({ status: "expired" });
  });

  test("a provider that wants to be asked after the deadline", async () => {
    await open(async (_pending, nowMs) => ({ status: "pending", checkAtMs: nowMs + 86_400_000 }));
    const started = await pay(harness, caller);
    await harness.advance(3000);
    await harness.advance(56_999);
    expect((await statusOf(harness, caller, started)).status).toBe("pending");
    await harness.advance(1);
    expect(await statusOf(harness, caller, started)).toMatchObject({ status: "expired" });
  });

  test.each([0, 1, 86_400_000])("an outcome %p ms after the deadline is none: expired", async (lateMs) => {
    await open(async (pending) => paidAt(pending.expiresAtMs + lateMs, receiptOf(pending)));
    const started = await pay(harness, caller);
    await harness.advance(120_000);
    const final = await statusOf(harness, caller, started);
    expect(final).toMatchObject({ status: "expired", resultCode: 1019 });
    expect(final).not.toHaveProperty("receiptNumber");
  });

  test("an outcome of before counts, although the service asks late", async () => {
    await open(async (pending) => paidAt(pending.createdAtMs + 10, receiptOf(pending)));
    const started = await pay(harness, caller);
    await harness.advance(3_600_000);
    expect(await statusOf(harness, caller, started)).toMatchObject({ completedAtMs: START_MS + 10 });
  });

  test("the memo comes back as the provider gave it, also after it was put off", async () => {
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

describe("nobody waits for the answer about another", () => {
  /** A provider that leaves one payment, the second, without an answer until the test gives it one. */
  async function openWithSilence() {
    const questions: ((answer: Outcome | NotYet) => void)[] = [];
    await open(async (pending, nowMs) => {
      if (pending.id !== 2) return paid(pending, nowMs);
      const { promise, resolve } = Promise.withResolvers<Outcome | NotYet>();
      questions.push(resolve);
      return promise;
    });
    const started = [await pay(harness, caller), await pay(harness, caller), await pay(harness, caller)] as const;
    await harness.advance(3000);
    return { questions, started };
  }

  const statusesOf = async (started: readonly { readonly checkoutRequestId: string }[]) =>
    Promise.all(started.map(async (one) => (await statusOf(harness, caller, one)).status));

  const CANCELLED = { status: "cancelled", resultCode: 1032, resultDesc: "no" } as const;

  test("a provider that never answers about one: the others end at once, and this one at its deadline", async () => {
    const { questions, started } = await openWithSilence();
    expect(await statusesOf(started)).toEqual(["completed", "pending", "completed"]);
    await harness.advance(56_999);
    expect(await statusesOf(started)).toEqual(["completed", "pending", "completed"]);
    await harness.advance(1);
    expect(await statusesOf(started)).toEqual(["completed", "expired", "completed"]);
    expect(questions.length).toBe(1);
  });

  test("an answer that comes after its round counts, and is announced", async () => {
    const { questions, started } = await openWithSilence();
    const announced: string[] = [];
    harness.service.subscribe(({ id, status }) => announced.push(`${id} ${status}`));
    questions[0]?.({ ...CANCELLED, atMs: START_MS + 4000 });
    await harness.advance(0);
    await harness.advance(0);
    expect(await statusesOf(started)).toEqual(["completed", "cancelled", "completed"]);
    expect(announced).toEqual(["2 cancelled"]);
  });

  test("a late answer that says when to ask again counts as well: nobody asks before", async () => {
    const { questions, started } = await openWithSilence();
    await harness.advance(50);
    questions[0]?.({ status: "pending", checkAtMs: START_MS + 33_050 });
    for (let step = 0; step < 29; step++) await harness.advance(1000);
    expect(questions.length).toBe(1);
    await harness.advance(1000);
    expect(questions.length).toBe(2);
    questions[1]?.(paidAt(START_MS + 33_050, "RECEIPT2"));
    await harness.advance(0);
    await harness.advance(0);
    expect(await statusesOf(started)).toEqual(["completed", "completed", "completed"]);
  });

  test("nobody asks about a payment again before the answer has come, however often it falls due or is polled", async () => {
    const { questions, started } = await openWithSilence();
    for (let step = 0; step < 20; step++) {
      await harness.advance(1000);
      await statusesOf(started);
    }
    expect(questions.length).toBe(1);
  });

  test("a provider with 50 ms latency that says `ask again in 30 s` is asked twice in a minute, not each second", async () => {
    const asked: number[] = [];
    await open((_pending, nowMs) => {
      asked.push(nowMs - START_MS);
      const { promise, resolve } = Promise.withResolvers<NotYet>();
      harness.clock.alarm(nowMs + 50, () => resolve({ status: "pending", checkAtMs: nowMs + 30_000 }));
      return promise;
    });
    const started = await pay(harness, caller);
    for (let step = 0; step < 599; step++) await harness.advance(100);
    expect(asked).toEqual([3000, 33_000]);
    await harness.advance(100);
    expect((await statusOf(harness, caller, started)).status).toBe("expired");
  });

  test("10,000 checks can be in flight; beyond that payments wait for room, and end by their deadline all the same", async () => {
    const questions: ((answer: NotYet) => void)[] = [];
    await open(() => {
      const { promise, resolve } = Promise.withResolvers<NotYet>();
      questions.push(resolve);
      return promise;
    });
    await Promise.all(Array.from({ length: MAX_CHECKS + 10 }, () => pay(harness, caller)));
    await harness.advance(3000);
    expect(questions.length).toBe(MAX_CHECKS);
    for (const answer of questions.slice(0, 7)) answer({ status: "pending", checkAtMs: START_MS + 50_000 });
    await harness.advance(1000);
    expect(questions.length).toBe(MAX_CHECKS + 7);
    await harness.advance(60_000);
    const { summary } = await harness.service.listTransactions(caller.merchantId, {}, { number: 1, limit: 1 });
    expect([summary.pendingCount, summary.totalItems]).toEqual([0, MAX_CHECKS + 10]);
    // Those that have ended keep no room.
    const before = questions.length;
    await pay(harness, caller);
    await harness.advance(3000);
    expect(questions.length).toBe(before + 1);
  });

  test("a payment that a person has answered meanwhile keeps its end, whatever the late answer says", async () => {
    const { questions, started } = await openWithSilence();
    await harness.service.answerPrompt(started[1].checkoutRequestId, () => ({ ...CANCELLED, atMs: START_MS + 3500 }));
    questions[0]?.(paidAt(START_MS + 4000, "RECEIPT2"));
    await harness.advance(1000);
    expect(await statusesOf(started)).toEqual(["completed", "cancelled", "completed"]);
    expect(harness.faults).toEqual([]);
  });

  test("an answer after the deadline changes nothing, even one about a time before it", async () => {
    const { questions, started } = await openWithSilence();
    await harness.advance(60_000);
    questions[0]?.(paidAt(START_MS + 4000, "RECEIPT2"));
    await harness.advance(0);
    expect(await statusesOf(started)).toEqual(["completed", "expired", "completed"]);
  });

  test("an answer after the stop is left to the next start", async () => {
    const { questions, started } = await openWithSilence();
    await harness.service.resolver.stop();
    questions[0]?.(paidAt(START_MS + 4000, "RECEIPT2"));
    await harness.advance(0);
    expect(await statusesOf(started)).toEqual(["completed", "pending", "completed"]);
    expect(harness.faults).toEqual([]);
  });

  test("an answer about a payment that was forgotten meanwhile changes no other", async () => {
    const { questions } = await openWithSilence();
    await harness.service.forgetTransactions();
    const other = await pay(harness, caller);
    questions[0]?.({ ...CANCELLED, atMs: START_MS + 3000 });
    await harness.advance(0);
    await harness.advance(0);
    expect(await statusesOf([other])).toEqual(["pending"]);
  });

  test("a late answer that cannot be written is told, and the deadline ends the payment", async () => {
    const { questions, started } = await openWithSilence();
    questions[0]?.(paidAt(START_MS + 4000, "RECEIPT1"));
    await harness.advance(0);
    await harness.advance(0);
    expect(harness.faults.map(String)).toEqual([expect.stringContaining("UNIQUE constraint failed")]);
    await harness.advance(60_000);
    expect(await statusesOf(started)).toEqual(["completed", "expired", "completed"]);
  });
});

describe("one payment's impossible answer does not hold up the others", () => {
  const impossible: [string, (pending: PendingTransaction, nowMs: number) => Outcome | NotYet][] = [
    ["a receipt number that another payment has", (_pending, nowMs) => paidAt(nowMs, "RECEIPT1")],
    [
      "a failure with the code of a payment",
      (_pending, nowMs) => ({ status: "failed", resultCode: 0, resultDesc: "?", atMs: nowMs }),
    ],
  ];

  test.each(impossible)("%s", async (_what, answer) => {
    await open(async (pending, nowMs) => (pending.id === 2 ? answer(pending, nowMs) : paid(pending, nowMs)));
    const [first, bad, third] = [await pay(harness, caller), await pay(harness, caller), await pay(harness, caller)];
    await harness.advance(3000);
    expect((await statusOf(harness, caller, first)).status).toBe("completed");
    expect((await statusOf(harness, caller, third)).status).toBe("completed");
    await harness.advance(60_000);
    expect((await statusOf(harness, caller, bad)).status).toBe("expired");
    expect(harness.faults).not.toEqual([]);
  });
});

describe("what is due is resolved in the order in which it fell due", () => {
  test("whatever the order in which it started", async () => {
    const asked: number[] = [];
    harness = openHarness({
      provider: {
        ...createProvider(async (pending, nowMs) => {
          asked.push(pending.id);
          return paid(pending, nowMs);
        }),
        push: async ({ pushedAtMs, amountCents }) => ({ memo: "", checkAtMs: pushedAtMs + amountCents }),
      },
    });
    caller = await harness.addCaller("Shop");
    for (const afterMs of [5000, 1000, 3000, 2000, 4000]) {
      await pay(harness, caller, { amountCents: afterMs as PendingTransaction["amountCents"] });
    }
    await harness.advance(30_000);
    expect(asked).toEqual([2, 4, 3, 5, 1]);
  });
});
