import { expect, test } from "bun:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { type Attempts, createAttempts } from "../../src/store/postgres/attempts.ts";
import { createConnections } from "../../src/store/postgres/connections.ts";
import { createEngineClock, createHeartbeat } from "../../src/store/postgres/engine-clock.ts";
import { DeadlinePassed } from "../../src/store/postgres/failures.ts";
import { createGroup } from "../../src/store/postgres/group.ts";
import { createRecent } from "../../src/store/postgres/recent.ts";
import { fromStored, toStored } from "../../src/store/postgres/rows.ts";
import { Meter } from "../../src/store/vitals.ts";
import { systemClock } from "../../src/system.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

/** The parts of the PostgreSQL engine that need no server: its clock, and texts with NUL. */

const HOST_MS = 1_800_000_000_000;

/** A host whose clock is `aheadMs` wrong; time passes only when the test calls `pass`. */
function openClock(aheadMs: number) {
  const host = createManualClock(HOST_MS + aheadMs);
  let passedMs = 0;
  const clock = createEngineClock(host, () => passedMs);
  return {
    clock,
    host,
    pass(durationMs: number) {
      passedMs += durationMs;
      host.advance(durationMs);
    },
    /** A measurement, in which the engine's clock is `engineAheadMs` wrong. */
    measure: (engineAheadMs = 0) =>
      clock.correct({ engineMs: HOST_MS + passedMs + engineAheadMs, stopwatchMs: passedMs }),
    rightMs: () => HOST_MS + passedMs,
  };
}

test("hosts whose clocks are five seconds apart show the engine's time", () => {
  for (const aheadMs of [-5000, 0, 5000]) {
    const { clock, measure, pass, rightMs } = openClock(aheadMs);
    expect(clock.state).toBe("unknown");
    measure();
    pass(1234);
    expect(clock.nowMs()).toBe(rightMs());
    expect([clock.state, clock.offsetMs]).toEqual(["known", 0 - aheadMs]);
  }
});

test("an alarm rings when the engine's clock shows its time, not when the host's does", () => {
  const { clock, measure, pass, rightMs } = openClock(5000);
  measure();
  let rungAtMs = 0;
  clock.alarm(rightMs() + 3000, () => {
    rungAtMs = clock.nowMs();
  });
  pass(2999);
  expect(rungAtMs).toBe(0);
  pass(1);
  expect(rungAtMs).toBe(rightMs());
});

test("an alarm waits for its time while the clock runs slower than the host's, and can be cancelled until then", () => {
  const { clock, measure, pass } = openClock(0);
  measure();
  measure(-500);
  const atMs = clock.nowMs() + 1000;
  const rungAtMs: number[] = [];
  clock.alarm(atMs, () => rungAtMs.push(clock.nowMs()));
  const cancel = clock.alarm(atMs, () => rungAtMs.push(0));
  for (let step = 1; step <= 105; step += 1) pass(10);
  expect(rungAtMs).toEqual([]);
  cancel();
  for (let step = 1; step <= 20; step += 1) pass(10);
  expect(rungAtMs).toEqual([expect.closeTo(atMs, -2)]);
  expect(rungAtMs[0]).toBeGreaterThanOrEqual(atMs);
});

test.each([500, -500])(
  "after a measurement that differs by %p ms, the clock runs at most a tenth faster or slower, and never jumps",
  (aheadMs) => {
    const { clock, measure, pass, rightMs } = openClock(0);
    measure();
    pass(1000);
    let before = clock.nowMs();
    measure(aheadMs);
    expect(clock.state).toBe("known");
    expect(clock.nowMs()).toBe(before);
    for (let step = 1; step <= 50; step += 1) {
      pass(100);
      const nowMs = clock.nowMs();
      expect(Math.abs(nowMs - before - 100)).toBeLessThanOrEqual(11);
      before = nowMs;
    }
    expect(Math.abs(before - rightMs() - aheadMs)).toBeLessThanOrEqual(1);
  },
);

test("the state is unknown after half a minute without a measurement, and jumped while the clock is more than a second wrong", () => {
  const { clock, measure, pass } = openClock(0);
  expect(clock.state).toBe("unknown");
  measure();
  pass(30_000);
  expect(clock.state).toBe("known");
  pass(1);
  expect(clock.state).toBe("unknown");
  measure();
  expect(clock.state).toBe("known");
  measure(3000);
  expect(clock.state).toBe("jumped");
  pass(19_000);
  expect(clock.state).toBe("jumped");
  pass(2000);
  expect(clock.state).toBe("known");
});

test.each(["", "a", "\0", "\u0001", "\u0002", "\0\u0001\u0002\u0001\0", "a\0\0b\u0001\u0001c"])(
  "a text is stored without NUL, is read back unchanged, and each start of it is a start of the stored text: %j",
  (text) => {
    expect(toStored(text)).not.toContain("\0");
    expect(fromStored(toStored(text))).toBe(text);
    for (let length = 0; length <= text.length; length += 1) {
      expect(toStored(text)).toStartWith(toStored(text.slice(0, length)));
    }
  },
);

/** The queues in front of PostgreSQL, without a server. */

test("writes to the same rows keep their order, also behind one that waits for another row", async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const group = createGroup<{ name: string; keys: number[] }, null>({
    attempts: { isStuck: false } as Parameters<typeof createGroup>[0]["attempts"],
    ...{ lanes: 3, most: 1, keysOf: ({ keys }) => keys },
    async run(items) {
      started.push(...items.map(({ name }) => name));
      await new Promise<void>((resolve) => {
        ends.push(resolve);
      });
      return items.map(() => null);
    },
  });
  const added = [
    group.add({ name: "first", keys: [1] }),
    group.add({ name: "waits for it", keys: [1, 2] }),
    group.add({ name: "waits for that one", keys: [2] }),
    group.add({ name: "free", keys: [3] }),
  ];
  for (const running of [["first", "free"], ["waits for it"], ["waits for that one"]]) {
    await nextTurn();
    await nextTurn();
    expect(started.splice(0)).toEqual(running);
    for (const end of ends.splice(0)) end();
  }
  await Promise.all(added);
  await group.whenEmpty();
});

test("20,000 writes can wait; one more is refused at once, and says why", async () => {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const group = createGroup<number, number>({
    ...{ attempts: { isStuck: true } as Attempts, lanes: 1, most: 1 },
    run: async (items) => end.then(() => items),
  });
  const added = Array.from({ length: 20_001 }, (_, item) => group.add(item).catch(String));
  const waits = nextTurn().then(() => "it waits, too");
  expect(await Promise.race([added.at(-1), waits])).toBe("Overloaded: 20000 others wait for the database server");
  resolve();
  expect(await added[0]).toBe(0);
});

function answerWith(error: Error | null): null {
  if (error) throw error;
  return null;
}

test("after a silence the server counts as stuck, until it answers, if only with a refusal", async () => {
  const refusal = Object.assign(new Error("no"), { errno: "23514" });
  const ends = [new DeadlinePassed(), refusal, new DeadlinePassed(), null];
  let recoveries = 0;
  const attempts = createAttempts({
    connections: { use: async () => answerWith(ends.shift() ?? null) } as never,
    ...{ clock: createManualClock(0), stopwatch: () => 0, meter: new Meter(), deadlineMs: 1 },
    onRecovered: () => {
      recoveries += 1;
    },
  });
  const states: [boolean, number][] = [];
  for (let count = 0; count < 4; count += 1) {
    await rejectionOf(attempts.reading(async () => null));
    states.push([attempts.isStuck, recoveries]);
  }
  expect(states).toEqual([
    [true, 0],
    [false, 1],
    [true, 1],
    [false, 2],
  ]);
});

test("who waits for a connection gets an error when the store is closed", async () => {
  const connections = createConnections(parseAddress("postgres://momo@127.0.0.1:1/momo", null, "test"), 0, systemClock);
  const waiting = rejectionOf(connections.use(1000, async () => {}));
  await connections.close();
  const still = nextTurn().then(() => "it still waits");
  expect(String(await Promise.race([waiting, still]))).toBe("Error: the store was closed");
});

test("rows that were just read are read again after a second, or when there are more than 4,000 of them", async () => {
  let [nowMs, reads] = [0, 0];
  const recent = createRecent(
    () => nowMs,
    async (key: number) => {
      reads += 1;
      return key;
    },
  );
  const readsOf = async (...keys: number[]) => {
    const before = reads;
    for (const key of keys) await recent.find(key);
    return reads - before;
  };
  const all = Array.from({ length: 4000 }, (_, key) => key);
  expect([await readsOf(...all), await readsOf(0)]).toEqual([4000, 0]);
  expect([await readsOf(4000), await readsOf(0), await readsOf(0)]).toEqual([1, 1, 0]);
  nowMs += 999;
  expect(await readsOf(0)).toBe(0);
  nowMs += 1;
  expect(await readsOf(0)).toBe(1);
});

test.each([
  ["on", "", "on", "disk", false],
  ["local", "*", "on", "disk", false],
  ["on", "*", "on", "standby (*)", true],
  ["remote_apply", "one", "on", "standby (one)", true],
  ["remote_write", "*", "on", "memory of a standby (*)", false],
  ["remote_write", "", "on", "disk", false],
  ["off", "*", "on", "nothing: synchronous_commit is off", false],
  ["on", "", "off", "nothing: fsync is off", false],
])(
  "synchronous_commit %s, standbys %p, fsync %s: a commit is kept by %s",
  async (commit, standbys, fsync, kept, isSafe) => {
    const { clock, host } = openClock(0);
    const rows = [{ ms: HOST_MS, isStandby: false, commit, standbys, fsync }];
    const reading = (work: (connection: { query: () => Promise<object[]> }) => unknown) =>
      work({ query: async () => rows });
    const heartbeat = createHeartbeat({
      ...{ attempts: { reading } as unknown as Attempts, clock, host, stopwatch: () => 0 },
      ...{ afterBeat: async () => {}, reportFault: (error) => expect(error).toBeNull() },
    });
    await heartbeat.beat();
    expect(heartbeat.durability).toEqual({ durability: kept, isReplicated: isSafe, isStandby: false });
    heartbeat.stop();
  },
);

test("of three readings of the engine's clock the one with the shortest round trip counts", async () => {
  const { host } = openClock(0);
  let passedMs = 0;
  const clock = createEngineClock(host, () => passedMs);
  const tripsMs = [400, 20, 300];
  // The engine reads its clock as soon as it is asked. Half a round trip is subtracted, so that the error is 10 ms.
  const query = async () => {
    const ms = HOST_MS + passedMs;
    passedMs += tripsMs.shift() ?? 0;
    return [{ ms }];
  };
  const reading = (work: (connection: { query: () => Promise<object[]> }) => unknown) => work({ query });
  const heartbeat = createHeartbeat({
    ...{ attempts: { reading } as unknown as Attempts, clock, host, stopwatch: () => passedMs },
    ...{ afterBeat: async () => {}, reportFault: (error) => expect(error).toBeNull() },
  });
  await heartbeat.beat();
  expect(clock.nowMs()).toBe(HOST_MS + passedMs - 10);
  heartbeat.stop();
});
