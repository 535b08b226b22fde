import { describe, expect, test } from "bun:test";
import { forEachTest } from "../support/cleanup.ts";
import { START_MS } from "../support/harness.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { openManualService } from "../support/manual-service.ts";
import { failWrites } from "../support/shop.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

const scene = forEachTest(openManualService);

const counts = async () => {
  const { summary } = await scene.service.listTransactions(1, {}, { number: 1, limit: 1 });
  return { pending: summary.pendingCount, completed: summary.completedCount };
};
const alarms = () => scene.clock.alarmsAtMs.map((atMs) => atMs - START_MS);

/** Advances the clock, which rings the alarm, and waits for the round. */
async function pass(durationMs: number): Promise<void> {
  scene.clock.advance(durationMs);
  await scene.service.resolver.resolveDue();
}

/** The status of the next transaction that changes. */
function nextChange(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  scene.service.subscribe(({ status }) => resolve(status));
  return promise;
}

describe("one alarm, for the earliest check, and none while nothing is pending", () => {
  test("an idle service sets none", async () => {
    await scene.service.resolver.resolveDue();
    expect(alarms()).toEqual([]);
  });

  test("an earlier check replaces a later one, and a later one changes nothing", async () => {
    await Promise.all(Array.from({ length: 100 }, () => scene.pay("completed; after=5s")));
    expect(alarms()).toEqual([5000]);
    await scene.pay("completed; after=2s");
    await scene.pay("completed; after=9s");
    expect(alarms()).toEqual([2000]);
  });

  test("after each round it is set for the next check, to the last", async () => {
    for (const after of ["5s", "0s", "9s"]) await scene.pay(`completed; after=${after}`);
    await pass(0);
    expect([await counts(), alarms()]).toEqual([{ pending: 2, completed: 1 }, [5000]]);
    await pass(5000);
    expect([await counts(), alarms()]).toEqual([{ pending: 1, completed: 2 }, [9000]]);
    await pass(4000);
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

  test("a stopped service sets none, and leaves what is pending to the next start", async () => {
    await scene.pay("completed; after=2s");
    await scene.service.resolver.stop();
    expect(alarms()).toEqual([]);
    await scene.pay("completed; after=1s");
    expect(alarms()).toEqual([]);
    await pass(10_000);
    expect([alarms(), await counts()]).toEqual([[], { pending: 2, completed: 0 }]);
  });
});

test("polls for the payments of other replicas are a second apart, with a fifth more or less", () => {
  for (const draw of [0, 255]) scene.openAnother({ random: { bytes: () => Uint8Array.of(draw) } }).resolver.watch();
  expect(scene.realClock.alarmsAtMs).toEqual([800, 1200]);
});

test("a payment that starts during a round is not forgotten", async () => {
  await scene.pay("completed; after=2s");
  scene.clock.advance(2000);
  await scene.pay("completed; after=1s");
  await scene.service.resolver.resolveDue();
  expect(alarms()).toEqual([3000]);
  await pass(1000);
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
    expect(String(await rejectionOf(pass(2000)))).toBe("Error: database is locked");
    scene.realClock.advance(1000);
    await nextTurn();
    expect(await counts()).toEqual({ pending: 1, completed: 0 });
    release();
    expect(scene.realClock.alarmsAtMs).toEqual([2000]);
    const change = nextChange();
    scene.realClock.advance(1000);
    expect(await change).toBe("completed");
    expect(scene.realClock.alarmsAtMs).toEqual([]);
    expect(scene.faults.splice(0).map(String)).toContain("Error: database is locked");
  });

  test("but not after the stop", async () => {
    await scene.pay("completed; after=2s");
    failWrites(scene.store, "database is locked");
    expect(String(await rejectionOf(pass(2000)))).toBe("Error: database is locked");
    await scene.service.resolver.stop();
    expect(scene.realClock.alarmsAtMs).toEqual([]);
    scene.faults.splice(0);
  });
});
