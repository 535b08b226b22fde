import { afterAll, expect, test } from "bun:test";
import { createVirtualClock } from "../../../sandbox/network/clock.ts";
import { messageOf, samplePayment } from "../../../sandbox/webhooks/message.ts";
import { MAX_IN_FLIGHT, Sender } from "../../../sandbox/webhooks/sender.ts";
import type { Delivery } from "../../../src/domain/delivery.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { hang, startReceiver } from "../../support/fake-server.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { startIn } from "../../support/sandbox.ts";
import { nextTurn, rejectionOf, until } from "../../support/waiting.ts";

afterAll(cleanUp);

interface SenderOptions {
  readonly url: string;
  readonly count?: number;
  /** How many of the first reads and writes of the store fail. */
  readonly unread?: number;
  readonly failures?: number;
  readonly isShared?: boolean;
  readonly mayDecide?: () => boolean;
  /** Whether the clock follows the host's, which the test moves. */
  readonly jumps?: boolean;
}

/** A sender with deliveries that are due at 1000. */
function openSender({
  url,
  count = 1,
  unread = 0,
  failures = 0,
  isShared = true,
  mayDecide = () => true,
  jumps = false,
}: SenderOptions) {
  let [readsToFail, writesToFail] = [unread, failures];
  const message = { form: "flat", payment: samplePayment(0), endedAtMs: 0 } as const;
  const due = Array.from({ length: count }, (_, index) => ({
    ...{ id: 7 + index, ...message, attempts: [], dueAtMs: 1000, resendOf: null },
  }));
  const realClock = createManualClock(0);
  const host = createManualClock(0);
  const clock = createVirtualClock(jumps ? host : realClock);
  const released: number[] = [];
  const saved: Delivery[] = [];
  const faults: string[] = [];
  const claimable = Promise.withResolvers<void>();
  const sender = new Sender({
    deliveries: {
      async claim(_nowMs, limit) {
        if (readsToFail-- > 0) throw new Error("the disk is full");
        await claimable.promise;
        return due.splice(0, limit);
      },
      release: async (id) => void released.push(id),
      nextDueAtMs: async () => null,
      async save(one) {
        if (writesToFail-- > 0) throw new Error("the disk is full");
        saved.push(one);
      },
    },
    ...{ isShared, clock, realClock, mayDecide },
    ...{ address: () => url, beforeSending: () => {}, onAttempt: () => {} },
    reportFault: (error) => void faults.push(String(error)),
    stopwatch: realClock.nowMs,
    deliveriesAtOnce: MAX_IN_FLIGHT,
  });
  const savedAre = (most: number) =>
    until(
      async () => saved.length,
      (length) => length === most,
    );
  return { sender, realClock, host, clock, released, saved, savedAre, faults, claim: claimable.resolve };
}

test("if the store fails, the error is reported once, and the sender looks again each second until it can read", async () => {
  const options = { url: "http://127.0.0.1:1/", count: 0, unread: 1, isShared: false };
  const { sender, realClock, faults, claim } = openSender(options);
  claim();
  sender.look();
  sender.look();
  await nextTurn();
  expect([faults, realClock.alarmsAtMs]).toEqual([["Error: the disk is full"], [1000]]);
  realClock.advance(1000);
  await nextTurn();
  expect([faults.length, realClock.alarmsAtMs]).toEqual([1, []]);
  await sender.stop();
});

test("a server that may not know the shared settings sends nothing, and looks again each second", async () => {
  let isFresh = false;
  const receiver = startReceiver();
  const { sender, realClock, savedAre, claim } = openSender({ url: receiver.url, mayDecide: () => isFresh });
  claim();
  sender.look();
  await nextTurn();
  expect([receiver.received, realClock.alarmsAtMs]).toEqual([[], [1000]]);
  isFresh = true;
  realClock.advance(1000);
  await savedAre(1);
  await sender.stop();
  sender.wakeAt(5000);
  expect(realClock.alarmsAtMs).toEqual([]);
});

test("sixteen attempts are made at once, and the next when one has ended", async () => {
  const answers: (() => void)[] = [];
  const receiver = startReceiver(() => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    answers.push(() => resolve(new Response("noted")));
    return promise;
  });
  const { sender, claim, savedAre } = openSender({ url: receiver.url, count: 18 });
  claim();
  sender.look();
  await receiver.until(16);
  sender.look();
  await nextTurn();
  expect(answers).toHaveLength(16);
  answers[3]?.();
  await receiver.until(17);
  for (const answer of answers) answer();
  await receiver.until(18);
  answers[17]?.();
  await savedAre(18);
  await sender.stop();
});

test("an attempt that is no delivery finds no room while a claim for sixteen is under way", async () => {
  const receiver = startReceiver();
  const { sender, claim, savedAre } = openSender(receiver);
  sender.look();
  await nextTurn();
  const message = messageOf("flat", samplePayment(0), 0);
  expect(String(await rejectionOf(sender.tryOnce(message)))).toContain("16 attempts are in progress");
  claim();
  await savedAre(1);
  expect(await sender.tryOnce(message)).toMatchObject({ status: 200 });
  await sender.stop();
});

test("a result that cannot be stored is reported and written again a second later, and keeps its claim; a stop leaves no alarm", async () => {
  const receiver = startReceiver(() => new Response("noted"));
  const { sender, realClock, released, saved, savedAre, faults, claim } = openSender({
    url: receiver.url,
    failures: 1,
  });
  claim();
  sender.look();
  await until(() => faults.length === 1);
  expect([faults, saved, released]).toEqual([["Error: the disk is full"], [], []]);
  realClock.advance(1000);
  await savedAre(1);
  await sender.stop();
  expect([released, realClock.alarmsAtMs]).toEqual([[], []]);
});

test("a stop gives back what it has just claimed, so that another server sends it", async () => {
  const { sender, released, claim } = openSender({ url: "http://127.0.0.1:1/" });
  sender.look();
  await nextTurn();
  const stopped = sender.stop();
  claim();
  await stopped;
  expect(released).toEqual([7]);
});

test("a stop waits half a second for an answer, and then gives back the delivery", async () => {
  const receiver = startReceiver(hang);
  const { sender, realClock, released, saved, claim } = openSender(receiver);
  claim();
  sender.look();
  await receiver.until(1);
  const stopped = sender.stop();
  await nextTurn();
  realClock.advance(500);
  await stopped;
  expect([released, saved]).toEqual([[7], []]);
});

test.each([0, 3000])(
  "the pause before the next attempt begins when the one before ends, which is measured in real time: the clock moved by %d ms",
  async (movedMs) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const receiver = startReceiver(() => promise);
    const { sender, realClock, clock, saved, savedAre, claim } = openSender(receiver);
    claim();
    sender.look();
    await receiver.until(1);
    realClock.advance(400);
    clock.advance(movedMs);
    resolve(new Response("", { status: 500 }));
    await savedAre(1);
    expect(saved).toMatchObject([{ id: 7, dueAtMs: 1000 + 400 + 1000, attempts: [{ durationMs: 400 }] }]);
  },
);

test("while the clock is frozen, an attempt takes none of its time, also if the clock is moved meanwhile", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const receiver = startReceiver(() => promise);
  const { sender, realClock, clock, saved, savedAre, claim } = openSender(receiver);
  clock.freeze();
  claim();
  sender.look();
  await receiver.until(1);
  realClock.advance(400);
  clock.advance(3000);
  resolve(new Response("", { status: 500 }));
  await savedAre(1);
  expect(saved).toMatchObject([{ id: 7, dueAtMs: 1000 + 1000, attempts: [{ durationMs: 400 }] }]);
  await sender.stop();
});

test.each([
  ["that is late because no server ran is repeated after a pause", 0, "time", 121_000 + 1000],
  ["that is late after a move before its due time, too", 900, "time", 900 + 121_000 + 1000],
  ["that a move of the clock has passed counts from its due time", 0, "clock", 1000 + 1000],
  ["that many moves have passed, too", 0, "moves", 1000 + 1000],
])("a delivery %s", async (_what, movedBeforeMs, moved, dueAtMs) => {
  const receiver = startReceiver(() => new Response("", { status: 500 }));
  const { sender, realClock, clock, saved, savedAre, claim } = openSender(receiver);
  clock.advance(movedBeforeMs);
  const moves = moved === "moves" ? 121 : 1;
  for (let move = 0; move < moves; move += 1) (moved === "time" ? realClock : clock).advance(121_000 / moves);
  claim();
  sender.look();
  await savedAre(1);
  expect(saved).toMatchObject([{ id: 7, dueAtMs }]);
  await sender.stop();
});

test("a delivery that was due after the server had stopped is sent by the next one, and one of a payment that was due then", async () => {
  const [folder, receiver] = [newFolder(), startReceiver()];
  const first = await startIn(folder);
  await first.control("PUT", "/webhook", { url: receiver.url, delay: "1s" });
  const id = await first.pay({}, "completed; after=0s");
  expect(await first.statusOf(id)).toBe("completed");
  const later = await first.pay({}, "cancelled; after=1s");
  await first.stop();
  const second = await startIn(folder, { webhook: receiver.url });
  await receiver.until(2);
  const sent = receiver.received.map(({ body }) => (body.data as Record<string, unknown>).checkout_request_id);
  expect(sent.sort()).toEqual([id, later].sort());
  await second.stop();
});

test("a jump of the host's clock during an attempt neither ends it nor moves the next one", async () => {
  const answering = Promise.withResolvers<void>();
  const receiver = startReceiver(async () => {
    await answering.promise;
    return new Response(null, { status: 500 });
  });
  const { sender, realClock, host, saved, savedAre, claim } = openSender({ url: receiver.url, jumps: true });
  host.advance(1000);
  claim();
  sender.look();
  await receiver.until(1);
  host.advance(3_600_000);
  realClock.advance(3000);
  answering.resolve();
  await savedAre(1);
  expect(saved).toMatchObject([{ dueAtMs: 3_602_000, attempts: [{ status: 500, atMs: 1000, durationMs: 3000 }] }]);
  await sender.stop();
});

test("a claim that comes after a stop is not released: the store is closed then", async () => {
  const { sender, realClock, released, claim } = openSender({ url: "http://127.0.0.1:1/" });
  sender.look();
  await nextTurn(); // the claim is under way
  const stopping = sender.stop();
  for (let graces = 0; graces < 2; graces += 1) {
    realClock.advance(500);
    await nextTurn();
  }
  await stopping;
  claim();
  await nextTurn();
  expect(released).toEqual([]);
});
