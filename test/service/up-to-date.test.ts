import { beforeEach, describe, expect, test } from "bun:test";
import type { Outcome } from "../../src/domain/outcome.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Store } from "../../src/store/store.ts";
import { forEachTest } from "../support/cleanup.ts";
import { createProvider, openService, START_MS } from "../support/service.ts";
import { failWrites, orderTo, paidAt } from "../support/shop.ts";
import { nextTurn, rejectionOf, turns, until } from "../support/waiting.ts";

const PAGE = { number: 1, limit: 10 };
const PHONE = "254712345678" as Msisdn;

const scene = forEachTest(openService);

/** Moves the clock without ringing an alarm, as when the host has slept. */
const jumpTo = (afterMs: number) => scene.clock.set(START_MS + afterMs);
const statusNow = async ({ checkoutRequestId }: { checkoutRequestId: string }) =>
  (await scene.service.checkStatus(1, checkoutRequestId)).status;
const list = () => scene.service.listTransactions(1, {}, PAGE);

describe("what is due is resolved before it is read, also if the alarm is late", () => {
  test("the status", async () => {
    const started = await scene.pay("silent");
    jumpTo(60_000);
    expect(await statusNow(started)).toBe("expired");
  });

  test("the list: its rows, its summary and its filters", async () => {
    await scene.pay("silent");
    await scene.pay("completed");
    jumpTo(60_000);
    const all = await list();
    expect(all.rows.map(({ status }) => status)).toEqual(["completed", "expired"]);
    expect(all.summary).toMatchObject({ pendingCount: 0, completedCount: 1 });
    await scene.pay("silent");
    jumpTo(180_000);
    const pending = await scene.service.listTransactions(1, { status: "pending" }, PAGE);
    expect([pending.rows, pending.summary.totalItems]).toEqual([[], 0]);
  });

  test("the list, with a payment of another server on the same database", async () => {
    const shared: Store = Object.create(scene.store, { isShared: { value: true } });
    const other = scene.openAnother({ store: shared });
    await scene.pay("cancelled");
    jumpTo(3000);
    expect((await other.listTransactions(1, {}, PAGE)).summary).toMatchObject({ pendingCount: 0, cancelledCount: 1 });
    await other.resolver.stop();
  });

  test("the open prompts, and the messages to customers", async () => {
    await scene.pay("manual");
    await scene.pay("completed");
    jumpTo(3000);
    expect((await scene.service.listPaid(10, PHONE)).length).toBe(1);
    jumpTo(60_000);
    expect(await scene.service.listPrompts(10, null)).toEqual([]);
  });

  test("what a snapshot saves", async () => {
    await scene.pay("completed");
    jumpTo(3000);
    await scene.service.saveTransactions(10);
    expect(await scene.store.transactions.listPending(10)).toEqual([]);
  });

  test("a lookup by request id or by reference", async () => {
    const { checkoutRequestId } = await scene.pay("silent", { reference: "ORDER-1" });
    jumpTo(60_000);
    expect(await scene.service.findByReference("ORDER-1")).toMatchObject({ status: "expired" });
    expect(await scene.service.findByCheckoutRequestId(checkoutRequestId)).toMatchObject({ status: "expired" });
  });

  test("a payment that a person answers after the network has decided", async () => {
    const started = await scene.pay("cancelled");
    jumpTo(3500);
    const paid = paidAt(START_MS + 3500, "RECEIPT1");
    const answered = scene.service.answerPrompt(started.checkoutRequestId, () => paid);
    expect(await rejectionOf(answered)).toMatchObject({ kind: "conflict" });
    expect(await statusNow(started)).toBe("cancelled");
  });

  test("polling changes only when the outcome is written, and not its time", async () => {
    const [polled, left] = [await scene.pay("completed"), await scene.pay("completed")];
    jumpTo(3700);
    await statusNow(polled);
    jumpTo(9000);
    for (const { checkoutRequestId } of [polled, left]) {
      const found = await scene.service.checkStatus(1, checkoutRequestId);
      expect(found).toMatchObject({ completedAtMs: START_MS + 3000 });
    }
  });

  test("one status does not wait for the many payments that were due before it", async () => {
    await Promise.all(Array.from({ length: 1500 }, () => scene.pay("completed; after=1s")));
    const last = await scene.pay("completed; after=2s");
    jumpTo(2000);
    void scene.service.resolver.resolveDue();
    expect(await statusNow(last)).toBe("completed");
    expect((await scene.store.transactions.listPending(10)).length).toBe(10);
  });

  test("of many who poll a due payment at once, each is answered", async () => {
    const started = await scene.pay("completed; after=1s");
    jumpTo(1000);
    const seen: string[] = [];
    for (let poll = 0; poll < 1200; poll += 1) void statusNow(started).then((status) => seen.push(status));
    await until(() => seen.length === 1200);
    expect(new Set(seen)).toEqual(new Set(["completed"]));
    expect(scene.service.resolver.lateness).toEqual({ count: 1, sumMs: 0 });
  });
});

test.each([
  ["does not know the time that all share", () => false, "unavailable"],
  ["has stopped", () => true, "stopping"],
])("a poll of a due payment is answered at once by a server that %s", async (_what, mayDecide, kind) => {
  const { checkoutRequestId } = await scene.pay("completed");
  const shared: Store = Object.create(scene.store, { isShared: { value: true } });
  const other = scene.openAnother({ store: shared, mayDecide });
  if (mayDecide()) await other.resolver.stop();
  jumpTo(3000);
  const answer = async () => (await other.checkStatus(1, checkoutRequestId)).status;
  expect(await Promise.race([answer(), turns(1000).then(() => "none")])).toBe("pending");
  const listed = () => other.listTransactions(1, {}, PAGE);
  expect((await listed()).summary.pendingCount).toBe(1);
  // After its deadline it is not shown as pending.
  jumpTo(60_000);
  for (const read of [answer, listed]) expect(await rejectionOf(read())).toMatchObject({ kind });
  await other.resolver.stop();
});

test("if nothing is due, a read runs no statement for the schedule", async () => {
  const started = await scene.pay("completed");
  let looks = 0;
  for (const name of ["resolveDue", "nextCheckAtMs", "isAnyOverdue", "record"] as const) {
    (scene.store.transactions as unknown as Record<string, unknown>)[name] = () => {
      looks += 1;
      return Promise.reject(new Error(name));
    };
  }
  jumpTo(2999);
  expect(await statusNow(started)).toBe("pending");
  expect((await list()).summary.pendingCount).toBe(1);
  expect((await scene.service.listPrompts(10, null)).length).toBe(1);
  expect(looks).toBe(0);
});

describe("if the store cannot be written", () => {
  beforeEach(() => void failWrites(scene.store, "the disk is full"));

  test("a payment that is due is still answered as pending before its deadline", async () => {
    const started = await scene.pay("completed");
    jumpTo(59_999);
    expect(await statusNow(started)).toBe("pending");
    expect((await list()).summary.pendingCount).toBe(1);
    expect(scene.faults.splice(0).map(String)).toContain("Error: the disk is full");
  });

  test("after its deadline it is not: the read fails", async () => {
    const started = await scene.pay("completed");
    jumpTo(60_000);
    for (const read of [() => statusNow(started), list, () => scene.service.listPrompts(10, null)]) {
      // Once more, because the first time the resolver does not know yet that it fails.
      for (const _ of [1, 2]) expect(String(await rejectionOf(read()))).toContain("the disk is full");
    }
    scene.faults.splice(0);
  });
});

describe("a stop does not wait for all that is due", () => {
  /** Stops in the middle of a long round, while a list waits. Returns the pending count of the list, or its refusal. */
  async function stopInTheMiddle(atMs: number): Promise<unknown> {
    await Promise.all(Array.from({ length: 2000 }, () => scene.pay("completed; after=1s")));
    jumpTo(atMs);
    const resolved = scene.service.resolver.resolveDue();
    const answer = list().then(
      ({ summary }) => summary.pendingCount,
      (error) => error,
    );
    await scene.store.transactions.nextCheckAtMs();
    await scene.service.resolver.stop();
    await resolved;
    return answer;
  }

  test("it ends after one batch, the list is answered, and the next start resolves what is left", async () => {
    expect(await stopInTheMiddle(1000)).toBeGreaterThanOrEqual(1500);
    const next = scene.openAnother();
    await next.resolver.resolveDue();
    expect((await next.listTransactions(1, {}, PAGE)).summary).toMatchObject({ pendingCount: 0, completedCount: 2000 });
    await next.resolver.stop();
  });

  test("a list that would show a payment as pending after its deadline is refused", async () => {
    expect(await stopInTheMiddle(60_000)).toMatchObject({ kind: "stopping" });
  });

  test("it does not wait for a provider that never answers", async () => {
    const silent = scene.openAnother({ provider: createProvider(() => new Promise(() => {})) });
    await silent.startPayment(1, orderTo(1));
    jumpTo(3000);
    const resolved = silent.resolver.resolveDue();
    const stopped = silent.resolver.stop();
    scene.clock.advance(0);
    await nextTurn();
    scene.clock.advance(0);
    await Promise.all([resolved, stopped]);
  });
});

describe("an answer to a prompt", () => {
  const paid = paidAt(START_MS + 1, "RECEIPT1");
  const cancelled: Outcome = { status: "cancelled", resultCode: 1032, resultDesc: "no", atMs: START_MS + 1 };
  const answer = (id: string, outcome: Outcome) => scene.service.answerPrompt(id, () => outcome);
  const EXPIRED = { status: "expired", resultCode: 1019 };

  describe("the first outcome wins, and a later one changes nothing", () => {
    test("of many answers at once, one counts, and only this one is announced", async () => {
      const started = await scene.pay("manual");
      const announced: Transaction[] = [];
      scene.service.subscribe((transaction) => announced.push(transaction));
      const answers = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => answer(started.checkoutRequestId, index % 2 ? cancelled : paid)),
      );
      const accepted = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(accepted).toEqual([await scene.find(started)]);
      expect(announced).toEqual(accepted);
    });

    test("an answer after the deadline is refused, also if nothing was written yet and the outcome is the same", async () => {
      const started = await scene.pay("manual");
      scene.clock.advance(60_000);
      const late = answer(started.checkoutRequestId, { ...cancelled, status: "expired", atMs: START_MS + 60_000 });
      expect(await rejectionOf(late)).toMatchObject({ kind: "conflict" });
      expect(await scene.find(started)).toMatchObject(EXPIRED);
    });

    test("if the deadline passes during the answer, it is refused, and the payment expires, which is announced", async () => {
      const started = await scene.pay("manual");
      const announced: Transaction[] = [];
      scene.service.subscribe((transaction) => announced.push(transaction));
      const late = scene.service.answerPrompt(started.checkoutRequestId, () => {
        scene.clock.advance(60_000);
        return { ...paidAt(START_MS + 60_000, "RECEIPT1"), memo: "by hand" };
      });
      expect(await rejectionOf(late)).toMatchObject({ kind: "conflict" });
      const expired = await scene.find(started);
      expect(expired).toMatchObject({ ...EXPIRED, memo: expect.stringContaining("manual") });
      expect(announced).toEqual([expired as Transaction]);
    });

    test("if the payment becomes due during the answer, the answer counts, and only it is announced", async () => {
      const started = await scene.pay();
      const announced: Transaction[] = [];
      scene.service.subscribe((transaction) => announced.push(transaction));
      let round = Promise.resolve();
      const final = await scene.service.answerPrompt(started.checkoutRequestId, () => {
        round = scene.advance(3000);
        return cancelled;
      });
      await round;
      expect(announced).toEqual([final]);
    });
  });

  test("each transaction is announced once when it starts and once when it ends", async () => {
    const announced: string[] = [];
    const stop = scene.service.subscribe(({ id, status }) => announced.push(`${id} ${status}`));
    await scene.pay();
    const { checkoutRequestId } = await scene.pay("manual");
    await scene.advance(3000);
    await answer(checkoutRequestId, cancelled);
    await rejectionOf(answer(checkoutRequestId, cancelled));
    await scene.advance(3_600_000);
    stop();
    await scene.pay();
    expect(announced).toEqual(["1 pending", "2 pending", "1 completed", "2 cancelled"]);
  });
});
