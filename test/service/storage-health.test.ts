import { describe, expect, spyOn, test } from "bun:test";
import { StorageHealth } from "../../src/service/storage-health.ts";
import { OutcomeUnknown, Unanswered } from "../../src/store/store.ts";
import type { Vitals } from "../../src/store/vitals.ts";
import { forEachTest } from "../support/cleanup.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { openService, START_MS } from "../support/service.ts";
import { paidAt } from "../support/shop.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

class DiskFull extends Error {}

/** An engine whose probes end as a test says, and what the log says. */
function open() {
  const clock = createManualClock(0);
  const log: string[] = [];
  const engine = { probes: 0, isFull: false, standing: null as string | null, gate: Promise.resolve() };
  const gone = { isGone: false };
  const vitals = {
    whyNotWritable: () => engine.standing,
    findMissing: () => (gone.isGone ? new DiskFull("the file is gone") : null),
    async probe() {
      engine.probes += 1;
      await engine.gate;
      if (engine.isFull) throw new DiskFull();
    },
    engineFailureOf: (error: unknown) =>
      error instanceof DiskFull ? { reason: "the disk is full", advice: "free some space" } : null,
  } as Partial<Vitals> as Vitals;
  const reportFault = (error: unknown) => void log.push((error as Error).message);
  return { clock, log, engine, gone, storage: new StorageHealth({ store: { vitals }, realClock: clock, reportFault }) };
}

test("a stored payment proves for a second that the next one can be stored; then one probe answers all who ask", async () => {
  const { clock, engine, storage } = open();
  storage.succeed();
  clock.advance(1000);
  expect(await storage.whyNotWritable()).toBeNull();
  expect(engine.probes).toBe(0);
  clock.advance(1);
  expect(await Promise.all([storage.whyNotWritable(), storage.whyNotWritable()])).toEqual([null, null]);
  expect(engine.probes).toBe(1);
  engine.standing = "the clock has jumped";
  expect(await storage.whyNotWritable()).toBe("the clock has jumped");
});

test("a payment that could not be stored counts at once, until one is stored or a probe has stored one", async () => {
  const { clock, engine, storage } = open();
  storage.succeed();
  engine.isFull = true;
  storage.fail(new Error("a refused value"));
  expect(await storage.whyNotWritable()).toBeNull();
  storage.fail(new DiskFull());
  storage.fail(new Error("a refused value"));
  expect(await storage.whyNotWritable()).toBe("the disk is full");
  expect(engine.probes).toBe(1);
  engine.isFull = false;
  clock.advance(249);
  expect(await storage.whyNotWritable()).toBe("the disk is full");
  clock.advance(1);
  expect(await storage.whyNotWritable()).toBeNull();
  storage.fail(new DiskFull());
  storage.succeed();
  expect(await storage.whyNotWritable()).toBeNull();
  expect(engine.probes).toBe(2);
});

test("a probe without an answer counts as a failure after two seconds", async () => {
  const { clock, engine, storage } = open();
  const answer = Promise.withResolvers<void>();
  engine.gate = answer.promise;
  const asked = storage.whyNotWritable();
  clock.advance(2000);
  expect(await asked).toBe("the database has stored nothing for 2 s");
  answer.resolve();
  expect(await storage.whyNotWritable()).toBeNull();
});

test("the log says once what fails and what helps, then once a minute how often; other errors are as they come", () => {
  const { clock, log, storage } = open();
  const lines = () => log.splice(0);
  for (let second = 0; second < 120; second += 1) {
    storage.reportFault(new DiskFull());
    clock.advance(1000);
  }
  const line = (often = "") => `the database fails: the disk is full${often}; free some space`;
  expect(lines()).toEqual([line(), line(" (60 times since the last such line)")]);
  storage.reportFault(new Error("a bug"));
  expect(lines()).toEqual(["a bug"]);
  // A disk that is full now and then is the same trouble. After ten quiet seconds the next fault is news.
  storage.succeed();
  storage.reportFault(new DiskFull());
  expect(lines()).toHaveLength(1);
  storage.reportFault(new DiskFull());
  storage.succeed();
  clock.advance(10_001);
  storage.reportFault(new DiskFull());
  expect(lines()).toEqual([line(" (2 times since the last such line)")]); // Nothing was stored since.
  clock.advance(11_000);
  storage.reportFault(new DiskFull());
  expect(lines()).toEqual([]);
});

test("a payment that the database did not answer is reported, because its client gets a refusal that nobody else reports", () => {
  const { log, storage } = open();
  storage.fail(new Error("an error that is reported where it is answered"));
  expect(log).toEqual([]);
  storage.fail(new Unanswered(new DiskFull()));
  storage.fail(new OutcomeUnknown(new DiskFull()));
  expect(log).toEqual([
    "the database did not answer in time: try again later",
    "the database did not answer, so this may be stored: look in the list before you try again",
  ]);
});

test("a watch says within a second, and once, that the files of the database are gone, and that they are back", async () => {
  const { clock, log, gone, storage } = open();
  const stop = storage.watch();
  for (const isGone of [true, false]) {
    gone.isGone = isGone;
    for (const _ of [1, 2, 3]) {
      clock.advance(1000);
      await nextTurn();
    }
  }
  expect(log).toEqual(["the database fails: the disk is full; free some space", "the files are in their place again"]);
  stop();
  expect(clock.alarmsAtMs).toEqual([]);
});

describe("before a commit", () => {
  const scene = forEachTest(openService);

  test("a read of a status between its write and its commit finds the old one, and a read after it the new one", async () => {
    const started = await scene.pay("manual");
    let readBeforeCommit = Promise.resolve("not asked");
    await scene.service.answerPrompt(started.checkoutRequestId, () => {
      // This microtask runs after the write and before the commit, which is at the end of the turn.
      queueMicrotask(() => {
        readBeforeCommit = scene.find(started).then(({ status }) => status);
      });
      return paidAt(START_MS, "RECEIPT1");
    });
    expect(await readBeforeCommit).toBe("pending");
    expect((await scene.find(started)).status).toBe("completed");
  });

  test("a revoked key still works, and after it no longer", async () => {
    const { apiKey, apiSecret } = scene.caller.key;
    const login = async () => scene.service.authenticate(apiKey, apiSecret);
    const revoking = scene.service.registry.revokeKey(apiKey);
    expect(await login()).toBe(scene.caller.merchantId);
    await revoking;
    expect(await rejectionOf(login())).toMatchObject({ kind: "unauthorized" });
  });

  test("a new tariff does not count, and after it does", async () => {
    const changing = scene.service.registry.setTariff(scene.caller.accountId, { basisPoints: 0, fixedCents: 500 });
    expect((await scene.pay()).feeCents).toBe(100);
    await changing;
    expect((await scene.pay()).feeCents).toBe(500);
  });

  test("each payment tells at once whether the next can be stored; a stored one proves it for a second of real time", async () => {
    const { storage, vitals } = scene.service;
    const probe = spyOn(vitals, "probe");
    await scene.pay();
    expect([await storage.whyNotWritable(), probe.mock.calls.length]).toEqual([null, 0]);
    scene.realClock.advance(1001); // The clock of the sandbox stands.
    expect([await storage.whyNotWritable(), probe.mock.calls.length]).toEqual([null, 1]);
    for (const write of [spyOn(scene.store.transactions, "insert"), probe]) write.mockRejectedValue(new DiskFull());
    spyOn(vitals, "engineFailureOf").mockReturnValue({ reason: "full", advice: "free some space" });
    await rejectionOf(scene.pay());
    expect(await storage.whyNotWritable()).toBe("full");
    expect(scene.faults.splice(0)).toHaveLength(1);
  });

  test("a write is on disk when it is answered, also if each turn until then reads something", async () => {
    const beside = await scene.place.open();
    const onDisk = scene.service.registry
      .registerMerchant("Written")
      .then(() => beside.merchants.listMerchants())
      .finally(() => {
        isAnswered = true;
      });
    let isAnswered = false;
    while (!isAnswered) {
      await scene.service.authenticate(scene.caller.key.apiKey, scene.caller.key.apiSecret);
      await nextTurn();
    }
    expect((await onDisk).map(({ name }) => name)).toContain("Written");
  });
});
