import { describe, expect, test } from "bun:test";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import type { NotYet } from "../../src/domain/provider.ts";
import { createChecks } from "../../src/service/checks.ts";
import type { SavedTransactions } from "../../src/service/service.ts";
import { createStarts } from "../../src/service/start-payment.ts";
import { forEachTest } from "../support/cleanup.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { createProvider, openService, START_MS } from "../support/service.ts";
import { CREATED_AT_MS, failWrites, pendingOf } from "../support/shop.ts";
import { nextTurn, rejectionOf, turns } from "../support/waiting.ts";

/** Stands here once more, so that another value is noticed. */
const MAX_CHECKS = 10_000;

const scene = forEachTest(openService);

const counts = async () => {
  const { summary } = await scene.service.listTransactions(1, {}, { number: 1, limit: 1 });
  return { pending: summary.pendingCount, completed: summary.completedCount };
};
const alarms = () => scene.clock.alarmsAtMs.map((atMs) => atMs - START_MS);

/** The status of the next transaction that changes. */
function nextChange(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  scene.service.subscribe(({ status }) => resolve(status));
  return promise;
}

describe("one alarm, for the earliest check, and none while nothing is pending", () => {
  test("an earlier check replaces a later one, and a later one changes nothing", async () => {
    await Promise.all(Array.from({ length: 100 }, () => scene.pay("completed; after=5s")));
    expect(alarms()).toEqual([5000]);
    await scene.pay("completed; after=2s");
    await scene.pay("completed; after=9s");
    expect(alarms()).toEqual([2000]);
  });

  test("after each round it is set for the next check, to the last", async () => {
    for (const after of ["5s", "0s", "9s"]) await scene.pay(`completed; after=${after}`);
    await scene.advance(0);
    expect([await counts(), alarms()]).toEqual([{ pending: 2, completed: 1 }, [5000]]);
    await scene.advance(5000);
    expect([await counts(), alarms()]).toEqual([{ pending: 1, completed: 2 }, [9000]]);
    await scene.advance(4000);
    expect([await counts(), alarms()]).toEqual([{ pending: 0, completed: 3 }, []]);
  });

  test("a payment is resolved although nothing reads it", async () => {
    await scene.pay("completed; after=2s");
    const change = nextChange();
    scene.clock.advance(2000);
    expect(await change).toBe("completed");
  });

  test("a service that starts with pending payments sets one for the earliest", async () => {
    await scene.pay("completed; after=5s");
    await scene.pay("completed; after=4s");
    const clock = createManualClock(START_MS + 1000);
    const restarted = scene.openAnother({ clock });
    await restarted.resolver.resolveDue();
    expect(clock.alarmsAtMs).toEqual([START_MS + 4000]);
    await restarted.resolver.stop();
  });

  test("none is left when all was resolved before it rang", async () => {
    await scene.pay("completed; after=2s");
    scene.clock.set(START_MS + 2000);
    await scene.service.resolver.resolveDue();
    expect([await counts(), alarms()]).toEqual([{ pending: 0, completed: 1 }, []]);
  });

  test("none is left after a reset", async () => {
    await scene.pay("completed; after=2s");
    await scene.service.forgetTransactions();
    expect(alarms()).toEqual([]);
  });

  test("after a restore it is set for the next check of what was restored", async () => {
    await scene.pay("completed; after=2s");
    const saved = (await scene.service.saveTransactions(1)) as SavedTransactions;
    await scene.advance(2000);
    scene.clock.set(START_MS);
    await scene.service.restoreTransactions(saved);
    await turns(10);
    expect(alarms()).toEqual([2000]);
  });

  test("a stopped service sets none, and leaves what is pending to the next start", async () => {
    await scene.pay("completed; after=2s");
    await scene.service.resolver.stop();
    expect(alarms()).toEqual([]);
    await scene.pay("completed; after=1s");
    expect(alarms()).toEqual([]);
    await scene.advance(10_000);
    expect([alarms(), await counts()]).toEqual([[], { pending: 2, completed: 0 }]);
  });
});

test("polls for the payments of other replicas are a second apart, with a fifth more or less, until the stop", async () => {
  const two = [0, 255].map((draw) => scene.openAnother({ random: { bytes: () => Uint8Array.of(draw) } }).resolver);
  for (const resolver of two) resolver.watch();
  expect(scene.realClock.alarmsAtMs).toEqual([800, 1200]);
  scene.realClock.advance(800);
  expect(scene.realClock.alarmsAtMs).toEqual([1200, 1600]);
  await Promise.all(two.map((resolver) => resolver.stop()));
  expect(scene.realClock.alarmsAtMs).toEqual([]);
});

test("the failure of one round is reported once, however many asked for it", async () => {
  const both = [await scene.pay("completed; after=2s"), await scene.pay("completed; after=2s")];
  const release = failWrites(scene.store, "database is locked");
  const { resolver } = scene.service;
  const failed = both.map(({ checkoutRequestId }) => rejectionOf(resolver.resolveFirst(checkoutRequestId)));
  scene.clock.advance(2000);
  await Promise.all(failed);
  await nextTurn();
  // One for the payment that could not be written by itself, and one for the round.
  expect(scene.faults.splice(0).map(String)).toEqual(Array(2).fill("Error: database is locked"));
  release();
});

test("a payment that starts during a round is not forgotten", async () => {
  await scene.pay("completed; after=2s");
  scene.clock.advance(2000);
  await scene.pay("completed; after=1s");
  await scene.service.resolver.resolveDue();
  expect(alarms()).toEqual([3000]);
  await scene.advance(1000);
  expect(await counts()).toEqual({ pending: 0, completed: 2 });
});

test("a round ends, and what is not due any more stays pending, if a reset sets the clock back meanwhile", async () => {
  const { resolver, subscribe } = scene.service;
  await Promise.all(Array.from({ length: 501 }, () => scene.pay("completed; after=2s")));
  subscribe(() => scene.clock.set(START_MS));
  scene.clock.set(START_MS + 2000);
  void resolver.resolveDue();
  for (let turn = 0; turn < 1000 && resolver.isBehind; turn += 1) await nextTurn();
  expect(resolver.isBehind).toBe(false);
  expect(await counts()).toEqual({ pending: 1, completed: 500 });
});

describe("if the database cannot be written, the resolver tries again each second", () => {
  test("until it can, also while the sandbox clock is frozen", async () => {
    await scene.pay("completed; after=2s");
    const release = failWrites(scene.store, "database is locked");
    expect(String(await rejectionOf(scene.advance(2000)))).toBe("Error: database is locked");
    scene.realClock.advance(1000);
    await nextTurn();
    expect(await counts()).toEqual({ pending: 1, completed: 0 });
    release();
    expect(scene.realClock.alarmsAtMs).toEqual([2000]);
    const change = nextChange();
    scene.realClock.advance(1000);
    expect(await change).toBe("completed");
    await nextTurn();
    expect([scene.realClock.alarmsAtMs, scene.service.resolver.isBehind]).toEqual([[], false]);
    expect(scene.faults.splice(0).map(String)).toContain("Error: database is locked");
  });

  test("and a poll in the meantime does not", async () => {
    const { resolver } = scene.openAnother({ random: { bytes: () => Uint8Array.of(0) } });
    resolver.watch();
    await scene.pay("completed; after=2s");
    scene.clock.set(START_MS + 2000);
    failWrites(scene.store, "database is locked");
    expect(await rejectionOf(resolver.resolveDue())).not.toBeNull();
    scene.realClock.advance(800);
    await nextTurn();
    expect(scene.realClock.alarmsAtMs).toEqual([1000, 1600]);
    await resolver.stop();
    scene.faults.splice(0);
  });

  test("but not after the stop", async () => {
    await scene.pay("completed; after=2s");
    failWrites(scene.store, "database is locked");
    expect(String(await rejectionOf(scene.advance(2000)))).toBe("Error: database is locked");
    await scene.service.resolver.stop();
    expect(scene.realClock.alarmsAtMs).toEqual([]);
    scene.faults.splice(0);
  });
});

test("10,000 checks can be in flight; others wait until one is answered or dropped; answers to dropped ones do not count", async () => {
  const nowMs = CREATED_AT_MS + 3000;
  const clock = createManualClock(nowMs);
  const questions: ((answer: NotYet) => void)[] = [];
  const provider = createProvider(() => {
    const { promise, resolve } = Promise.withResolvers<NotYet>();
    questions.push(resolve);
    return promise;
  });
  const checks = createChecks({
    provider,
    clock,
    reportFault: (error) => expect(error).toBeNull(),
    onLateAnswer: () => {},
  });
  const due = Array.from({ length: MAX_CHECKS + 20 }, () => pendingOf());
  const run = () => {
    const answers = checks.run(due, nowMs);
    clock.advance(0);
    return answers;
  };

  expect(await run()).toEqual([]);
  expect(questions.length).toBe(MAX_CHECKS);
  for (const { id } of due.slice(7, 10)) checks.drop(id);
  for (const answer of questions.slice(0, 10)) answer({ status: "pending", checkAtMs: nowMs + 5000 });
  await nextTurn();
  expect(await run()).toHaveLength(7);
  expect(questions.length).toBe(MAX_CHECKS + 3);
  expect(await run()).toEqual([]);
  expect(questions.length).toBe(MAX_CHECKS + 10);
});

const AFTER: Record<string, number> = { "3s": 3000, "15s": 15_000, "30s": 30_000 };

test.each([1, 20_000, 86_400_000])(
  "a start %p ms after a stop finds each payment as if nothing had stopped",
  async (laterMs) => {
    const outcomes = outcomesView().filter(({ name }) => name !== "refused");
    const payments = await Promise.all(
      outcomes.map(async (outcome) => ({ outcome, started: await scene.pay(outcome.name) })),
    );
    await scene.service.resolver.stop();
    const next = scene.openAnother();
    for (const afterMs of [laterMs, laterMs + 60_000]) {
      scene.clock.set(START_MS + afterMs);
      await next.resolver.resolveDue();
      for (const { outcome, started } of payments) {
        const endsAfterMs = AFTER[outcome.after ?? ""] ?? 60_000;
        const found = await next.checkStatus(1, started.checkoutRequestId);
        if (endsAfterMs > afterMs) expect(found).toEqual(started);
        else
          expect<unknown>(found).toMatchObject({
            status: outcome.status ?? "expired",
            resultCode: outcome.code ?? 1019,
            ...(outcome.status === "completed" && { completedAtMs: START_MS + endsAfterMs }),
          });
      }
    }
    await next.resolver.stop();
  },
);

test("a payment that started before the end of a reset is refused, whenever the network accepts it; the next one is stored", async () => {
  const starts = createStarts();
  const store = (requireCurrent: () => void) => requireCurrent();
  const refused = { kind: "unavailable", message: expect.stringMatching(/^it was reset before .* nothing is stored/) };
  const network = Promise.withResolvers<void>();
  const isDone = Promise.withResolvers<void>();
  const slow = () => starts.run((requireCurrent) => network.promise.then(() => store(requireCurrent)));
  const before = slow();
  const reset = starts.replaceAll("it was reset", () => isDone.promise);
  const meanwhile = slow();
  expect(await rejectionOf(starts.run(async (requireCurrent) => store(requireCurrent)))).toMatchObject(refused);
  isDone.resolve();
  await reset;
  network.resolve();
  expect(await rejectionOf(before)).toMatchObject(refused);
  expect(await rejectionOf(meanwhile)).toMatchObject(refused);
  await starts.run(async (requireCurrent) => store(requireCurrent));
});

test("a reset that fails lets payments start again", async () => {
  const starts = createStarts();
  const failed = starts.replaceAll("it was reset", () => Promise.reject(new Error("the disk is full")));
  expect(String(await rejectionOf(failed))).toBe("Error: the disk is full");
  await starts.run(async (requireCurrent) => requireCurrent());
});
