import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createNetwork } from "../../sandbox/network/network.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { failWrites } from "../support/failing-writes.ts";
import { useFolder } from "../support/folder.ts";
import { START_MS } from "../support/harness.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { nextTurn } from "../support/next-turn.ts";
import { orderTo } from "../support/payments.ts";
import { seededRandom } from "../support/random.ts";
import { rejectionOf } from "../support/rejection.ts";

const inFolder = useFolder();
let clock: ManualClock;
let realClock: ManualClock;
let store: Store;
let service: Service;
let accountId: number;
let faults: unknown[];
beforeEach(async () => {
  clock = createManualClock(START_MS);
  realClock = createManualClock(0);
  faults = [];
  store = openStore(inFolder("momo.db"));
  const random = seededRandom(1);
  service = createService({
    store,
    provider: createNetwork({ fallback: { outcome: "completed", afterMs: 3000 } }),
    clock,
    realClock,
    random,
    promptTimeoutMs: 60_000,
    reportFault: (error) => void faults.push(error),
  });
  accountId = (await service.registry.ensureFirstAccount()).id;
});
afterEach(async () => {
  await service.resolver.stop();
  store.close();
  expect(faults).toEqual([]);
});

const pay = (instruction: string) => service.startPayment(1, orderTo(accountId, { instruction }));
const counts = async () => {
  const { summary } = await service.listTransactions(1, {}, { number: 1, limit: 1 });
  return { pending: summary.pendingCount, completed: summary.completedCount };
};
const alarms = () => clock.alarmsAtMs.map((atMs) => atMs - START_MS);

/** Lets time pass as it does in life: the alarm alone sets the service going. */
async function pass(durationMs: number): Promise<void> {
  clock.advance(durationMs);
  await service.resolver.resolveDue();
}

describe("one alarm, for the earliest check, and none while nothing is pending", () => {
  test("an idle service sets none", async () => {
    await service.resolver.resolveDue();
    expect(alarms()).toEqual([]);
  });

  test("a hundred payments set one", async () => {
    await Promise.all(Array.from({ length: 100 }, () => pay("completed; after=5s")));
    expect(alarms()).toEqual([5000]);
  });

  test("an earlier check takes the place of a later one, and a later one changes nothing", async () => {
    await pay("completed; after=5s");
    await pay("completed; after=2s");
    expect(alarms()).toEqual([2000]);
    await pay("completed; after=9s");
    expect(alarms()).toEqual([2000]);
  });

  test("when it rings, what is due is resolved and the next one is set, to the last", async () => {
    for (const after of ["5s", "2s", "9s"]) await pay(`completed; after=${after}`);
    await pass(2000);
    expect([await counts(), alarms()]).toEqual([{ pending: 2, completed: 1 }, [5000]]);
    await pass(3000);
    expect([await counts(), alarms()]).toEqual([{ pending: 1, completed: 2 }, [9000]]);
    await pass(4000);
    expect([await counts(), alarms()]).toEqual([{ pending: 0, completed: 3 }, []]);
  });

  test("it rings by itself: nobody has to poll", async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<string>();
    await pay("completed; after=2s");
    service.subscribe(({ status }) => tell(status));
    clock.advance(2000);
    expect(await told).toBe("completed");
  });

  test("a service that starts on a file with pending payments sets one for the earliest", async () => {
    await pay("completed; after=5s");
    await pay("completed; after=4s");
    const later = createManualClock(START_MS + 1000);
    const restarted = createService({
      store,
      provider: createNetwork({ fallback: { outcome: "completed", afterMs: 3000 } }),
      clock: later,
      realClock,
      random: seededRandom(2),
      promptTimeoutMs: 60_000,
      reportFault: () => {},
    });
    await restarted.resolver.resolveDue();
    expect(later.alarmsAtMs).toEqual([START_MS + 4000]);
    await restarted.resolver.stop();
  });

  test("none is left when all has been resolved before it rang", async () => {
    await pay("completed; after=2s");
    clock.set(START_MS + 2000);
    await service.resolver.resolveDue();
    expect(await counts()).toEqual({ pending: 0, completed: 1 });
    expect(alarms()).toEqual([]);
  });

  test("stopped, it sets none any more and leaves what is pending to the next start", async () => {
    await pay("completed; after=2s");
    await service.resolver.stop();
    expect(alarms()).toEqual([]);
    await pay("completed; after=3s");
    clock.advance(10_000);
    await service.resolver.resolveDue();
    expect([alarms(), await counts()]).toEqual([[], { pending: 2, completed: 0 }]);
  });
});

test("payments that start while others are resolved are not forgotten", async () => {
  await pay("completed; after=2s");
  clock.advance(2000);
  await pay("completed; after=1s");
  await service.resolver.resolveDue();
  expect(alarms()).toEqual([3000]);
  await pass(1000);
  expect(await counts()).toEqual({ pending: 0, completed: 2 });
});

describe("a database that cannot be written is tried again each second, until all is well", () => {
  /** As long as somebody else holds it, say. */
  const hold = () => failWrites(store, "database is locked");

  test("also while the clock that payments go by stands still", async () => {
    await pay("completed; after=2s");
    const release = hold();
    expect(String(await rejectionOf(pass(2000)))).toBe("Error: database is locked");
    realClock.advance(1000);
    await nextTurn();
    expect(await counts()).toEqual({ pending: 1, completed: 0 });
    release();
    expect(realClock.alarmsAtMs).toEqual([2000]);
    const { promise: told, resolve: tell } = Promise.withResolvers<string>();
    service.subscribe(({ status }) => tell(status));
    realClock.advance(1000);
    expect(await told).toBe("completed");
    expect(realClock.alarmsAtMs).toEqual([]);
    expect(faults.splice(0).map(String)).toContain("Error: database is locked");
  });

  test("but not after the end", async () => {
    await pay("completed; after=2s");
    hold();
    expect(String(await rejectionOf(pass(2000)))).toBe("Error: database is locked");
    await service.resolver.stop();
    expect(realClock.alarmsAtMs).toEqual([]);
    faults = [];
  });
});
