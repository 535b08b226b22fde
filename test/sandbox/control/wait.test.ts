import { afterAll, describe, expect, test } from "bun:test";
import type { ControlContext } from "../../../sandbox/control/context.ts";
import { WAIT_CALLS } from "../../../sandbox/control/wait.ts";
import { createWaitingRoom } from "../../../sandbox/control/waiting-room.ts";
import { samplePayment } from "../../../sandbox/webhooks/message.ts";
import { Refusal } from "../../../src/domain/error.ts";
import type { Transaction } from "../../../src/domain/transaction.ts";
import { type Reply, respond } from "../../../src/http/reply.ts";
import { startServer } from "../../../src/http/server.ts";
import { durations, systemClock } from "../../../src/system.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { connectTo } from "../../support/connection.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { startIn } from "../../support/sandbox.ts";
import { expectSoundAnswer, readAnswer, useScene } from "../../support/scene.ts";
import { paid } from "../../support/shop.ts";
import { nextTurn, until } from "../../support/waiting.ts";
import { insertDue } from "./due.ts";

const PAID = samplePayment(0);
const PENDING = { ...PAID, status: "pending" } as unknown as Transaction;
const [call] = Object.values(WAIT_CALLS["/wait"] ?? {});
const sandbox = useScene();
afterAll(cleanUp);

/** Its time-out is long, because a wait that nobody tells of the end looks for it at its time-out. */
const wait = (json: object) => sandbox.call("POST", "/wait", { json: { timeout: "1h", ...json } });
const endOf = (id: string, outcome: string) => sandbox.control("POST", `/prompts/${id}/answer`, { outcome });
const manual = (order: Record<string, unknown> = {}) => sandbox.pay({ phone: "254700000100", ...order });

describe("POST /_momo/wait answers the moment the transaction has the status", () => {
  test("by checkout_request_id, by default until it is final", async () => {
    const id = await sandbox.pay({ reference: "R" });
    let answered = false;
    const waiting = wait({ checkout_request_id: id }).finally(() => {
      answered = true;
    });
    await sandbox.advanceClock("2999ms");
    expect(answered).toBe(false);
    await sandbox.advanceClock("1ms");
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body).toMatchObject({ message: "the payment is completed", transaction: { checkout_request_id: id } });
    expect(body.transaction).toEqual((await sandbox.list())[0]);
  });

  test("several waits for one payment are answered, but not one for another status", async () => {
    const id = await manual({ reference: "R" });
    const waits = [{ checkout_request_id: id }, { checkout_request_id: id, until: "failed" }, { reference: "R" }];
    const waiting = [...waits, { reference: "R", until: "expired", timeout: "50ms" }].map(wait);
    await endOf(id, "pin_locked");
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 408]);
  });

  test("500 wait, one advance, all are answered", async () => {
    const ids = await insertDue(sandbox, 500);
    const pending = await sandbox.store.transactions.listPending(ids.length);
    const waiting = pending.map(({ checkoutRequestId }) => wait({ checkout_request_id: checkoutRequestId }));
    await sandbox.advanceClock("5s");
    const answers = (await Promise.all(waiting)).map(({ body }) => body.transaction as { id: number; status: string });
    expect(answers.map(({ id, status }) => ({ id, status }))).toEqual(ids.map((id) => ({ id, status: "completed" })));
  });
});

describe("by reference", () => {
  test("the payment need not have started", async () => {
    const starts = wait({ reference: "R", until: "pending" });
    const ends = wait({ reference: "R" });
    await sandbox.pay({ reference: "another" });
    const id = await sandbox.pay({ reference: "R" });
    expect((await starts).body).toMatchObject({ transaction: { checkout_request_id: id, status: "pending" } });
    await sandbox.advanceClock("3s");
    expect((await ends).body).toMatchObject({ transaction: { checkout_request_id: id, status: "completed" } });
  });

  test("a payment that a snapshot brings back", async () => {
    const id = await sandbox.pay({ reference: "R" });
    await sandbox.advanceClock("3s");
    await sandbox.control("PUT", "/snapshots/one");
    await sandbox.control("POST", "/reset");
    const waiting = wait({ reference: "R" });
    await Bun.sleep(0);
    await sandbox.control("POST", "/snapshots/one/restore");
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: id, status: "completed" } });
  });

  test("of several payments the newest", async () => {
    await endOf(await manual({ reference: "R" }), "cancelled");
    const older = await manual({ reference: "R" });
    const second = await manual({ reference: "R" });
    const waiting = wait({ reference: "R" });
    await endOf(older, "cancelled");
    await endOf(second, "completed");
    expect((await waiting).body).toMatchObject({ transaction: { checkout_request_id: second, status: "completed" } });
  });
});

test.each(["before", "during"])(
  "409 at once if the payment ends otherwise %s the wait; another with its reference may come",
  async (when) => {
    const id = await manual({ reference: "R" });
    if (when === "before") await endOf(id, "cancelled");
    const waiting = wait({ checkout_request_id: id, until: "completed" });
    const ofReference = wait({ reference: "R", until: "completed" });
    if (when === "during") await endOf(id, "cancelled");
    const { status, body } = await waiting;
    expect(status).toBe(409);
    expect(body.message).toBe("the payment is cancelled, which is final: it does not become completed");
    await endOf(await manual({ reference: "R" }), "completed");
    expect((await ofReference).status).toBe(200);
  },
);

describe("408 at the time-out, which is in real time", () => {
  test("also while the clock of the sandbox stands still", async () => {
    const id = await sandbox.pay();
    const startedMs = performance.now();
    const message = await sandbox.refusal("POST", "/wait", { checkout_request_id: id, timeout: "50ms" }, 408);
    expect(performance.now() - startedMs).toBeGreaterThan(45);
    expect(message).toBe("the payment has not become final within the time-out");
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "pending" });
  });

  test("an outcome of which this server was not told is found then", async () => {
    const id = await manual();
    const { transactions } = sandbox.store;
    const waiting = wait({ checkout_request_id: id, timeout: "1s" });
    await nextTurn();
    await transactions.record((await transactions.listPending(1)).map((pending) => paid(pending, "TKL0000001")));
    expect((await waiting).status).toBe(200);
  });

  test("an advance of that clock does not count", async () => {
    const id = await sandbox.pay({ phone: "254700000030" });
    const waiting = wait({ checkout_request_id: id, timeout: "20s" });
    await sandbox.advanceClock("25s");
    await sandbox.advanceClock("5s");
    expect((await waiting).status).toBe(200);
  });
});

test("a server that stops answers the waits under way", async () => {
  let latestMs = 0;
  const alarm: typeof systemClock.alarm = (atMs, ring) => {
    latestMs = Math.max(latestMs, atMs);
    return systemClock.alarm(atMs, ring);
  };
  const { controlUrl, pay, stop } = await startIn(newFolder(), { realClock: { ...systemClock, alarm } });
  const json = { checkout_request_id: await pay({}, "manual"), timeout: "1h" };
  const headers = { "Content-Type": "application/json" };
  const waiting = fetch(`${controlUrl}/wait`, { method: "POST", headers, body: JSON.stringify(json) });
  const answer = waiting.then(readAnswer, () => "it was cut off");
  await until(
    async () => latestMs,
    (atMs) => atMs > systemClock.nowMs() + 3_000_000, // the alarm for the end of the wait
  );
  await stop();
  expect(await answer).toMatchObject({ status: 503 });
});

test("by default a wait is until the payment is final, for 10 s", async () => {
  const body = JSON.stringify({ reference: "R" });
  const headers = { "Content-Type": "application/json" };
  const read = await call?.body?.read(new Request("http://localhost/", { method: "POST", headers, body }));
  expect(read).toEqual({ reference: "R", until: "final", timeout: 10_000 });
});

/** A waiting room of a service of which a test needs only some parts; no payment ever changes. */
function roomOf(parts: object = {}, more: object = {}) {
  const service = {
    subscribe: () => () => true,
    isShared: false,
    findByCheckoutRequestId: async () => null,
    findByReference: async () => null,
    ...parts,
  };
  return createWaitingRoom({ service, realClock: createManualClock(0), reportFault: () => {}, ...more });
}

test("on a shared database, a payment that another server has ended is found within 50 ms, also after looks that failed", async () => {
  const realClock = createManualClock(0);
  const found = [null, new Error("the database fails"), new Refusal("unavailable", "try again"), PAID];
  const faults: string[] = [];
  const findByReference = async () => {
    const next = found.shift() ?? null;
    if (next instanceof Error) throw next;
    return next;
  };
  const reportFault = (error: unknown) => void faults.push(String(error));
  const room = roomOf({ isShared: true, findByReference }, { realClock, reportFault });
  const waiting = room.wait({ reference: "R", accepts: () => true }, 1000, new AbortController().signal);
  const next = (atMs: number | undefined) =>
    until(
      async () => realClock.alarmsAtMs[0],
      (first) => first === atMs,
    );
  for (const atMs of [50, 100, 150]) {
    await next(atMs);
    realClock.advance(50);
  }
  expect(await waiting).toBe(PAID);
  expect(faults).toEqual(["Error: the database fails"]);
  await next(undefined);
});

test("a wait for an id goes on while the payment changes without an end that it accepts", async () => {
  let announce = (_: Transaction) => {};
  const room = roomOf({
    findByCheckoutRequestId: async () => PENDING,
    subscribe(listener: (transaction: Transaction) => void) {
      announce = listener;
      return () => true;
    },
  });
  const condition = {
    checkoutRequestId: PAID.checkoutRequestId,
    accepts: ({ status }: Transaction) => status !== "pending",
  };
  const waiting = room.wait(condition, 1000, new AbortController().signal);
  await nextTurn();
  announce(PENDING);
  announce(PAID);
  expect(await waiting).toBe(PAID);
});

test("a payment is looked up once for all that wait for its reference, and for no others", async () => {
  let announce = (_: Transaction) => {};
  const looked: string[] = [];
  let isThere = false;
  const room = roomOf({
    subscribe(listener: (transaction: Transaction) => void) {
      announce = listener;
      return () => true;
    },
    async findByReference(reference: string) {
      looked.push(reference);
      return isThere ? PAID : null;
    },
  });
  const { signal } = new AbortController();
  const enter = (reference: string) => room.wait({ reference, accepts: () => true }, 1000, signal);
  const waits = Array.from({ length: 500 }, () => enter("R"));
  const other = enter("another");
  await nextTurn();
  looked.length = 0;
  isThere = true;
  announce({ ...PAID, reference: "R" });
  expect(await Promise.all(waits)).toEqual(waits.map(() => PAID));
  expect(looked).toEqual(["R"]);
  room.forget();
  expect(await other).toBe(PAID);
  expect(looked).toEqual(["R", "another"]);
});

describe("at most 10,000 requests wait", () => {
  const CAPACITY = 10_000;

  function openRoom() {
    const room = roomOf({}, { realClock: systemClock });
    const { signal } = new AbortController();
    const enter = (reference: string, gone = signal) => room.wait({ reference, accepts: () => true }, 86_400_000, gone);
    return { room, enter };
  }

  test("one more gets 503; a client that aborts or closes its connection gives up its place", async () => {
    const { room, enter } = openRoom();
    const body = { reference: "never", until: "final", timeout: 86_400_000 };
    const handle = async (request: Request) => {
      const input = { request, query: {}, body, id: "", keepOpen: () => {} };
      const reply = await call?.call({ waitingRoom: room } as unknown as ControlContext, input);
      return reply instanceof Response ? reply : respond(reply as Reply);
    };
    const callWith = (signal: AbortSignal) => handle(new Request("http://localhost/", { signal }));
    for (let count = 0; count < CAPACITY - 1; count += 1) void enter(`${count}`);
    // This client closes the connection before the server reads its request.
    await callWith(AbortSignal.abort());
    expect(room.isFull).toBe(false);

    const gone = new AbortController();
    const waiting = callWith(gone.signal);
    expect(room.isFull).toBe(true);
    const refused = await readAnswer(await callWith(new AbortController().signal));
    expect(refused.status).toBe(503);
    expectSoundAnswer(refused);
    gone.abort();
    await waiting;
    expect(room.isFull).toBe(false);

    const server = startServer({
      ...{ hostname: "127.0.0.1", port: 0, busyPaths: [], reportFault: () => {}, durations, handle },
    });
    later(() => server.stop(0));
    const client = await connectTo(`http://127.0.0.1:${server.port}`);
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until(() => room.isFull);
    client.end();
    await until(() => !room.isFull);
    room.close();
  });
});
