import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createNetwork } from "../../sandbox/network/network.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { failWrites } from "../support/failing-writes.ts";
import { useFolder } from "../support/folder.ts";
import { START_MS } from "../support/harness.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { nextTurn } from "../support/next-turn.ts";
import { orderTo, paidAt } from "../support/payments.ts";
import { createProvider } from "../support/provider.ts";
import { seededRandom } from "../support/random.ts";
import { rejectionOf } from "../support/rejection.ts";

const PAGE = { number: 1, limit: 10 };
const PHONE = "254712345678" as Msisdn;

const inFolder = useFolder();
/** Its alarms ring only where a test advances it; `set` is what a laptop that slept sees. */
let clock: ManualClock;
let store: Store;
let service: Service;
let accountId: number;
let faults: unknown[];
beforeEach(async () => {
  clock = createManualClock(START_MS);
  store = openStore(inFolder("momo.db"));
  faults = [];
  const random = seededRandom(1);
  service = createService({
    store,
    provider: createNetwork({ fallback: { outcome: "completed", afterMs: 3000 } }),
    clock,
    realClock: createManualClock(0),
    random,
    promptTimeoutMs: 60_000,
    reportFault: (error) => void faults.push(error),
  });
  accountId = (await service.registry.ensureFirstAccount()).id;
  await service.resolver.resolveDue();
});
afterEach(async () => {
  await service.resolver.stop();
  store.close();
});

const pay = (instruction: string, reference: string | null = null) =>
  service.startPayment(1, orderTo(accountId, { instruction, reference }));

/** All alarms are late: none has rung. */
const jumpTo = (afterMs: number) => clock.set(START_MS + afterMs);

describe("whoever reads what is due has it resolved first, whatever the timers did", () => {
  test("the status", async () => {
    const { checkoutRequestId } = await pay("silent");
    jumpTo(60_000);
    expect((await service.checkStatus(1, checkoutRequestId)).status).toBe("expired");
  });

  test("the list: its rows, its summary and its filters", async () => {
    await pay("silent");
    await pay("completed");
    jumpTo(60_000);
    const all = await service.listTransactions(1, {}, PAGE);
    expect(all.rows.map(({ status }) => status)).toEqual(["completed", "expired"]);
    expect(all.summary).toMatchObject({ pendingCount: 0, completedCount: 1 });
    await pay("silent");
    jumpTo(180_000);
    const pending = await service.listTransactions(1, { status: "pending" }, PAGE);
    expect([pending.rows, pending.summary.totalItems]).toEqual([[], 0]);
  });

  test("the open prompts, and the messages to customers", async () => {
    await pay("manual");
    await pay("completed");
    jumpTo(3000);
    expect((await service.listPaid(10, PHONE)).length).toBe(1);
    jumpTo(60_000);
    expect(await service.listPrompts(10, null)).toEqual([]);
  });

  test("a lookup by request id or by reference", async () => {
    const { checkoutRequestId } = await pay("silent", "ORDER-1");
    jumpTo(60_000);
    expect(await service.findByReference("ORDER-1")).toMatchObject({ status: "expired" });
    expect(await service.findByCheckoutRequestId(checkoutRequestId)).toMatchObject({ status: "expired" });
  });

  test("a person who answers: the network was faster, only nobody had written it yet", async () => {
    const { checkoutRequestId } = await pay("cancelled");
    jumpTo(3500);
    const answered = service.answerPrompt(checkoutRequestId, () => paidAt(START_MS + 3500, "RECEIPT1"));
    expect(await rejectionOf(answered)).toMatchObject({ kind: "conflict" });
    expect((await service.checkStatus(1, checkoutRequestId)).status).toBe("cancelled");
  });

  test("polling changes only when it is written, not what: the completion has the time at which it happened", async () => {
    const polled = await pay("completed");
    const left = await pay("completed");
    jumpTo(3700);
    await service.checkStatus(1, polled.checkoutRequestId);
    jumpTo(9000);
    for (const { checkoutRequestId } of [polled, left]) {
      expect(await service.checkStatus(1, checkoutRequestId)).toMatchObject({ completedAtMs: START_MS + 3000 });
    }
  });

  test("one status does not wait for the thousands that fell due before it", async () => {
    await Promise.all(Array.from({ length: 3000 }, () => pay("completed; after=1s")));
    const last = await pay("completed; after=2s");
    jumpTo(2000);
    void service.resolver.resolveDue();
    expect((await service.checkStatus(1, last.checkoutRequestId)).status).toBe("completed");
    expect((await store.transactions.listPending(10)).length).toBe(10);
  });
});

describe("where nothing is due, a read looks at nothing more", () => {
  test("no statement for the schedule is run", async () => {
    const { checkoutRequestId } = await pay("completed");
    let looks = 0;
    for (const name of ["resolveDue", "nextCheckAtMs", "isAnyOverdue", "record"] as const) {
      (store.transactions as unknown as Record<string, unknown>)[name] = () => {
        looks += 1;
        return Promise.reject(new Error(name));
      };
    }
    jumpTo(2999);
    expect((await service.checkStatus(1, checkoutRequestId)).status).toBe("pending");
    expect((await service.listTransactions(1, {}, PAGE)).summary.pendingCount).toBe(1);
    expect((await service.listPrompts(10, null)).length).toBe(1);
    expect(looks).toBe(0);
  });
});

describe("where the store cannot be written, reading goes on for as long as nothing is past its deadline", () => {
  beforeEach(() => void failWrites(store, "the disk is full"));

  test("what is due and not past its deadline is pending", async () => {
    const { checkoutRequestId } = await pay("completed");
    jumpTo(59_999);
    expect((await service.checkStatus(1, checkoutRequestId)).status).toBe("pending");
    expect((await service.listTransactions(1, {}, PAGE)).summary.pendingCount).toBe(1);
    expect(faults.map(String)).toContain("Error: the disk is full");
  });

  test("what is past its deadline is not told to be pending: the read fails", async () => {
    const { checkoutRequestId } = await pay("completed");
    jumpTo(60_000);
    expect(String(await rejectionOf(service.checkStatus(1, checkoutRequestId)))).toContain("the disk is full");
    expect(String(await rejectionOf(service.listTransactions(1, {}, PAGE)))).toContain("the disk is full");
    expect(String(await rejectionOf(service.listPrompts(10, null)))).toContain("the disk is full");
  });
});

describe("a stop does not wait for all that is due", () => {
  /** Stops in the middle of a long round, while somebody waits for a list. */
  async function stopInTheMiddle(atMs: number) {
    await Promise.all(Array.from({ length: 5000 }, () => pay("completed; after=1s")));
    jumpTo(atMs);
    const resolved = service.resolver.resolveDue();
    const list = service.listTransactions(1, {}, PAGE).then(
      ({ summary }) => summary.pendingCount,
      (error) => error,
    );
    await store.transactions.nextCheckAtMs();
    await service.resolver.stop();
    await resolved;
    return list;
  }

  test("it ends after the batch under way; a list that waits is answered", async () => {
    expect(await stopInTheMiddle(1000)).toBeGreaterThanOrEqual(4500);
  });

  test("but a list that would tell what is past its deadline to be pending is refused", async () => {
    expect(await stopInTheMiddle(60_000)).toMatchObject({ kind: "stopping" });
  });

  test("the next start resolves what is left", async () => {
    await stopInTheMiddle(1000);
    const random = seededRandom(2);
    const next = createService({
      ...{ store, clock, realClock: createManualClock(0), random, promptTimeoutMs: 60_000 },
      provider: createNetwork({ fallback: { outcome: "completed", afterMs: 3000 } }),
      reportFault: (error) => void faults.push(error),
    });
    await next.resolver.resolveDue();
    expect((await next.listTransactions(1, {}, PAGE)).summary.pendingCount).toBe(0);
    await next.resolver.stop();
    expect(faults).toEqual([]);
  });

  test("nor for a provider that answers nothing", async () => {
    const hung = createService({
      ...{ store, clock, realClock: clock, random: seededRandom(3), promptTimeoutMs: 60_000 },
      provider: createProvider(() => new Promise(() => {})),
      reportFault: (error) => void faults.push(error),
    });
    await hung.startPayment(1, orderTo(accountId));
    jumpTo(3000);
    const resolved = hung.resolver.resolveDue();
    const stopped = hung.resolver.stop();
    clock.advance(0);
    await nextTurn();
    clock.advance(0);
    await Promise.all([resolved, stopped]);
    expect(faults).toEqual([]);
  });
});
