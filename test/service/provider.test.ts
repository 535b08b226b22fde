import { afterEach, describe, expect, spyOn, test } from "bun:test";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { NotYet, Provider } from "../../src/domain/provider.ts";
import type { PendingTransaction, Status } from "../../src/domain/transaction.ts";
import type { SavedTransactions } from "../../src/service/service.ts";
import { createProvider, openService, type ServiceScene, START_MS } from "../support/service.ts";
import { paidAt } from "../support/shop.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

type Answer = Outcome | NotYet;

let scene: ServiceScene;
afterEach(() => scene.close());

async function open(check: Provider["check"], promptTimeoutMs = 60_000) {
  scene = await openService({ provider: createProvider(check), promptTimeoutMs });
}

const receiptOf = ({ id }: PendingTransaction) => `RECEIPT${id}`;
const paid = (pending: PendingTransaction, nowMs: number) => paidAt(nowMs, receiptOf(pending));
const EXPIRED = { status: "expired", resultCode: 1019, resultDesc: "Transaction has expired." };

async function advance(count: number, stepMs: number) {
  for (let step = 0; step < count; step++) await scene.advance(stepMs);
}

const wait = (checkAtMs: number): NotYet => ({ status: "pending", checkAtMs });

describe("each payment ends by its deadline, whatever the provider does", () => {
  test("a check that throws is repeated a second later, with the same memo, and the error is reported", async () => {
    const asked: (number | string)[] = [];
    await open(async (pending, nowMs) => {
      asked.push(nowMs - START_MS, pending.memo);
      if (asked.length < 6) throw new Error("no network");
      return paid(pending, nowMs);
    });
    const started = await scene.pay();
    await advance(25, 200);
    expect(asked).toEqual([3000, "memo 1", 4000, "memo 1", 5000, "memo 1"]);
    expect(scene.faults.splice(0).map(String)).toEqual(["Error: no network", "Error: no network"]);
    expect(await scene.find(started)).toMatchObject({ completedAtMs: START_MS + 5000 });
  });

  test("a provider that always throws, before it returns a promise", async () => {
    await open(() => {
      throw new Error("no network");
    });
    const started = await scene.pay();
    await advance(20, 3000);
    expect(await scene.find(started)).toMatchObject(EXPIRED);
    expect(scene.faults.splice(0).length).toBe(20);
  });

  test.each([-86_400_000, 0])("a provider that wants to be asked %p ms later is not asked at once", async (ms) => {
    let asked = 0;
    await open(async (_pending, nowMs) => {
      asked += 1;
      return wait(nowMs + ms);
    });
    const started = await scene.pay();
    await scene.advance(3000);
    expect(asked).toBe(1);
    await scene.advance(1);
    expect(asked).toBe(2);
    await scene.advance(60_000);
    expect(await scene.find(started)).toMatchObject(EXPIRED);
  });

  test.each([5000, 60_000])("a provider that wants to be asked after the deadline of %p ms", async (ms) => {
    await open(async (_pending, nowMs) => wait(nowMs + 86_400_000), ms);
    const started = await scene.pay();
    await scene.advance(3000);
    await scene.advance(ms - 3001);
    expect((await scene.find(started)).status).toBe("pending");
    await scene.advance(1);
    expect(await scene.find(started)).toMatchObject(EXPIRED);
  });

  test.each([
    [60_000, EXPIRED],
    [86_460_000, EXPIRED],
    [59_999, { completedAtMs: START_MS + 59_999 }],
    [10, { completedAtMs: START_MS + 10 }],
  ])("an outcome counts if it was before the deadline, although its check is late: after %p ms", async (ms, end) => {
    await open(async (pending) => paidAt(pending.createdAtMs + ms, receiptOf(pending)));
    const started = await scene.pay();
    await scene.advance(3_600_000);
    expect(await scene.find(started)).toMatchObject(end);
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
    const started = [await scene.pay(), await scene.pay(), await scene.pay()] as const;
    const second = async () => (await scene.find(started[1])).status;
    await scene.advance(3000);
    for (const one of [started[0], started[2]]) {
      expect((await scene.find(one)).status).toBe("completed");
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
      await scene.advance(2999);
      expect(await second()).toBe("pending");
    }
    await scene.advance(19);
    expect(await second()).toBe("expired");
    expect(questions.length).toBe(1);
  });

  test.each<[when: string, before: () => unknown, end: Status]>([
    ["counts", () => {}, "cancelled"],
    ["after the deadline does not count", () => scene.advance(60_000), "expired"],
    ["after the stop is left to the next start", () => scene.service.resolver.stop(), "pending"],
  ])("an answer that arrives after its round %s", async (_when, before, end) => {
    const { second, answer } = await openWithSilence();
    await before();
    const announced: string[] = [];
    scene.service.subscribe(({ id, status }) => announced.push(`${id} ${status}`));
    await answer(0, CANCELLED);
    expect(await second()).toBe(end);
    expect(announced).toEqual(end === "cancelled" ? ["2 cancelled"] : []);
  });

  test("a late answer with the time of the next check counts, too", async () => {
    const { questions, second, answer } = await openWithSilence();
    await answer(0, wait(START_MS + 33_000));
    await advance(29, 1000);
    expect(questions.length).toBe(1);
    await scene.advance(1000);
    expect(questions.length).toBe(2);
    await answer(1, paidAt(START_MS + 33_000, "RECEIPT2"));
    expect(await second()).toBe("completed");
  });

  test("a provider that is slow each time is checked when it asks for that, not each second", async () => {
    const asked: number[] = [];
    await open((_pending, nowMs) => {
      asked.push(nowMs - START_MS);
      const { promise, resolve } = Promise.withResolvers<NotYet>();
      scene.clock.alarm(nowMs + 50, () => resolve(wait(nowMs + 30_000)));
      return promise;
    });
    const started = await scene.pay();
    await advance(119, 500);
    expect(asked).toEqual([3000, 33_000]);
    await scene.advance(500);
    expect(await scene.find(started)).toMatchObject(EXPIRED);
  });

  test("a late answer does not change a payment that a person has answered", async () => {
    const { id, second, answer } = await openWithSilence();
    await scene.service.answerPrompt(id, () => CANCELLED);
    const rounds = spyOn(scene.store.transactions, "resolveDue");
    await answer(0, paidAt(START_MS + 4000, "RECEIPT2"));
    expect(rounds).toHaveBeenCalledTimes(2); // those of the advances: the answer itself starts none
    expect(await second()).toBe("cancelled");
  });

  test("an answer about a payment that was forgotten in the meantime changes no other", async () => {
    const { answer } = await openWithSilence();
    await scene.service.forgetTransactions();
    const other = await scene.pay();
    await answer(0, CANCELLED);
    expect((await scene.find(other)).status).toBe("pending");
  });

  test("an outcome that was decided before a restore is not written to the restored payment", async () => {
    const restoring: Promise<void>[] = [];
    await open(async (pending, nowMs) => {
      if (restoring.length > 0) return wait(nowMs + 30_000);
      restoring.push(scene.service.restoreTransactions(saved));
      return paid(pending, nowMs);
    });
    const started = await scene.pay();
    const saved = (await scene.service.saveTransactions(1)) as SavedTransactions;
    await scene.advance(3000);
    await Promise.all(restoring);
    await advance(2, 0);
    expect((await scene.find(started)).status).toBe("pending");
  });

  test.each([
    ["after it", false],
    ["while it is under way", true],
  ])(
    "a late answer from before a restore, %s, does not change the payment, which is checked again",
    async (_when, isUnderWay) => {
      const late = Promise.withResolvers<Answer>();
      let asked = 0;
      await open(() => {
        asked += 1;
        return asked === 1 ? late.promise : Promise.withResolvers<Answer>().promise;
      });
      const started = await scene.pay();
      const saved = (await scene.service.saveTransactions(1)) as SavedTransactions;
      await scene.advance(3000);
      const restore = async () => {
        await saved.restore();
        if (isUnderWay) late.resolve(CANCELLED);
        await nextTurn();
      };
      await scene.service.restoreTransactions({ ...saved, restore });
      await advance(2, 0);
      expect(asked).toBe(2);
      late.resolve(CANCELLED);
      await advance(2, 0);
      expect((await scene.find(started)).status).toBe("pending");
    },
  );

  test("a late answer that cannot be written is reported, and the payment expires", async () => {
    const { second, answer } = await openWithSilence();
    await answer(0, paidAt(START_MS + 4000, "RECEIPT1"));
    expect(scene.faults.splice(0).map(String)).toEqual([expect.stringContaining("UNIQUE constraint failed")]);
    await scene.advance(60_000);
    expect(await second()).toBe("expired");
  });
});

test.each([
  ["before a reset", false],
  ["while a reset is under way", true],
])("a payment that starts %s is not stored after it", async (_when, isUnderWay) => {
  const { promise: accepted, resolve: accept } = Promise.withResolvers<void>();
  const provider = createProvider(async (_pending, nowMs) => wait(nowMs + 1000));
  const push: Provider["push"] = (prompt) => accepted.then(() => provider.push(prompt));
  scene = await openService({ provider: { ...provider, push } });
  let refused = isUnderWay ? null : rejectionOf(scene.pay());
  await scene.service.replaceAll("there was a reset", async () => {
    refused ??= rejectionOf(scene.pay());
    await scene.service.forgetTransactions();
  });
  accept();
  expect(await refused).toMatchObject({
    kind: "unavailable",
    message: expect.stringMatching(/^there was a reset before the network/),
  });
  expect(await scene.store.transactions.listPending(1)).toEqual([]);
});

test.each<[string, (pending: PendingTransaction, nowMs: number) => Answer]>([
  ["a receipt number of another payment", (_pending, nowMs) => paidAt(nowMs, "RECEIPT1")],
  [
    "a failure with the code of a payment",
    (_pending, atMs) => ({ status: "failed", resultCode: 0, resultDesc: "?", atMs }),
  ],
])("an impossible answer does not hold up other payments: %s", async (_what, answer) => {
  await open(async (pending, nowMs) => (pending.id === 2 ? answer(pending, nowMs) : paid(pending, nowMs)));
  const [first, bad, third] = [await scene.pay(), await scene.pay(), await scene.pay()];
  const announced: string[] = [];
  scene.service.subscribe(({ id, status }) => announced.push(`${id} ${status}`));
  await scene.advance(3000);
  expect((await scene.find(first)).status).toBe("completed");
  expect((await scene.find(third)).status).toBe("completed");
  await scene.advance(60_000);
  expect((await scene.find(bad)).status).toBe("expired");
  expect(announced).toEqual(["1 completed", "3 completed", "2 expired"]);
  expect(scene.faults.splice(0)).not.toEqual([]);
});
