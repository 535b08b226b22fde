import { expect, test } from "bun:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { type Attempts, createAttempts } from "../../src/store/postgres/attempts.ts";
import { createConnections } from "../../src/store/postgres/connections.ts";
import { createEngineClock, createHeartbeat } from "../../src/store/postgres/engine-clock.ts";
import { ConnectionEnded, OutcomeUnknown } from "../../src/store/postgres/failures.ts";
import { createGroup } from "../../src/store/postgres/group.ts";
import { openNumbering } from "../../src/store/postgres/numbering.ts";
import { createRecent } from "../../src/store/postgres/recent.ts";
import { Meter } from "../../src/store/vitals.ts";
import { systemClock } from "../../src/system.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

/** What the PostgreSQL engine does when statements fail, without a server. */

const READ_ONLY = Object.assign(new Error("no writes now"), { errno: "25006" });
const REFUSED = Object.assign(new Error("out of range"), { errno: "22003" });

/** Attempts that end in turn with these errors, and then well; time passes in pauses only. */
function openAttempts(errors: readonly Error[], deadlineMs = 4000) {
  const left = [...errors];
  const meter = new Meter();
  const [pausesMs, limitsMs]: [number[], number[]] = [[], []];
  let nowMs = 0;
  const attempts = createAttempts({
    connections: {
      async use(mostMs: number, work: (connection: object) => Promise<unknown>) {
        limitsMs.push(mostMs);
        const result = await work({});
        const error = left.shift();
        if (error) throw error;
        return result;
      },
    } as never,
    clock: {
      nowMs: () => nowMs,
      alarm(atMs: number, ring: () => void) {
        pausesMs.push(atMs - nowMs);
        nowMs = atMs;
        ring();
        return () => {};
      },
    },
    ...{ stopwatch: () => nowMs, meter, deadlineMs, onRecovered: () => {} },
  });
  return { attempts, meter, pausesMs, limitsMs };
}

test("pauses between attempts double up to 400 ms", async () => {
  const { attempts, pausesMs, meter } = openAttempts(Array<Error>(7).fill(READ_ONLY));
  await attempts.reading(async () => null);
  expect(pausesMs).toEqual([25, 50, 100, 200, 400, 400, 400]);
  expect([...meter.retries]).toEqual([["25006", 7]]);
});

test("an attempt has a quarter of the deadline, a long read all that is left of it", async () => {
  const { attempts, limitsMs } = openAttempts([READ_ONLY]);
  await attempts.reading(async () => null, true);
  await attempts.reading(async () => null);
  await attempts.writing(async () => null);
  expect(limitsMs).toEqual([4000, 3975, 1000, 1000]);
});

test("a write learns that an earlier attempt may be stored, also one before this call; each such attempt is counted", async () => {
  const { attempts, meter } = openAttempts([new ConnectionEnded(), new ConnectionEnded()]);
  const told: boolean[] = [];
  const work = async (_: unknown, mayBeWritten: boolean) => void told.push(mayBeWritten);
  await attempts.writing(work);
  await attempts.writing(work, { mayBeWritten: true });
  expect(told).toEqual([false, true, true, true]);
  expect([meter.unknownOutcomes, meter.leftUnknown]).toEqual([2, 0]);
});

test("at the deadline a write is unknown only if an attempt may have been stored", async () => {
  const ended = Array<Error>(200).fill(new ConnectionEnded());
  const unknown = openAttempts(ended, 100);
  expect(await rejectionOf(unknown.attempts.writing(async () => null))).toBeInstanceOf(OutcomeUnknown);
  expect(unknown.meter.leftUnknown).toBe(1);
  for (const error of [READ_ONLY, REFUSED]) {
    const known = openAttempts(Array<Error>(200).fill(error), 100);
    expect(await rejectionOf(known.attempts.writing(async () => null))).toBe(error);
    expect(known.meter.leftUnknown).toBe(0);
  }
  const settled = openAttempts([new ConnectionEnded(), REFUSED]);
  expect(await rejectionOf(settled.attempts.writing(async () => null))).toBe(REFUSED);
});

test("who waits for a connection gets one when the work before it fails, also in a transaction", async () => {
  const connections = createConnections(parseAddress("postgres://momo@127.0.0.1:1/momo", null, "test"), 1, systemClock);
  const fails = () => nextTurn().then(() => Promise.reject(new Error("failed")));
  const failed = [connections.use(1000, fails, true), connections.use(1000, fails)].map(rejectionOf);
  const last = connections.use(1000, async () => "done");
  expect(connections.busy).toBe(1);
  expect((await Promise.all(failed)).map(String)).toEqual(["Error: failed", "Error: failed"]);
  expect(await last).toBe("done");
  expect(connections.busy).toBe(0);
  await connections.close();
});

test("while the server does not answer one statement runs at a time; who waits for the queue waits for what runs, too", async () => {
  for (const isStuck of [true, false]) {
    const ends: (() => void)[] = [];
    const group = createGroup<number, number>({
      ...{ attempts: { isStuck } as Attempts, lanes: 3, most: 1 },
      run: (items) => {
        const { promise, resolve } = Promise.withResolvers<readonly number[]>();
        ends.push(() => resolve(items));
        return promise;
      },
    });
    const added = [1, 2, 3].map((item) => group.add(item));
    await nextTurn();
    await nextTurn();
    expect(ends).toHaveLength(isStuck ? 1 : 3);
    let isEmpty = false;
    const empty = group.whenEmpty().then(() => {
      isEmpty = true;
    });
    for (let ended = 0; ended < 3; ended += 1) {
      expect(isEmpty).toBe(false);
      ends[ended]?.();
      await nextTurn();
      await nextTurn();
    }
    await empty;
    expect(await Promise.all(added)).toEqual([1, 2, 3]);
  }
});

test("a read that failed is made again at once", async () => {
  let reads = 0;
  const recent = createRecent(
    () => 0,
    async (key: number) => {
      reads += 1;
      if (reads === 1) throw new Error("the server is away");
      return key;
    },
  );
  expect(await rejectionOf(recent.find(1))).not.toBeNull();
  expect([await recent.find(1), await recent.find(1), reads]).toEqual([1, 1, 2]);
});

test("numbers that could not be fetched ahead are fetched again when they are needed", async () => {
  const firsts = [1, 3001];
  let isAway = false;
  const attempts = {
    read: async () => [{ key: "00".repeat(32) }],
    async write() {
      if (isAway) throw new Error("the server is away");
      return [{ first: firsts.shift() }];
    },
  } as unknown as Attempts;
  const numbering = await openNumbering(attempts);
  for (let number = 1; number <= 1000; number += 1) {
    expect(await numbering.next()).toBe(number);
    isAway = true;
  }
  expect(String(await rejectionOf(numbering.next()))).toContain("away");
  isAway = false;
  expect(await numbering.next()).toBe(3001);
  expect([1, 1000, 1001, 3000, 3001, 4000, 4001].filter(numbering.isOwn)).toEqual([1, 1000, 3001, 4000]);
});

test("the server is asked for its clock every ten seconds, each time with the work after it, until the heartbeat is stopped", async () => {
  const host = createManualClock(0);
  const row = { ms: 0, isStandby: false, commit: "on", standbys: "", fsync: "on" };
  let [beats, works] = [0, 0];
  let answered = Promise.resolve();
  const attempts = {
    async reading(work: (connection: object) => unknown) {
      beats += 1;
      await answered;
      return work({ query: async () => [row] });
    },
  } as unknown as Attempts;
  const start = () =>
    createHeartbeat({
      ...{ attempts, clock: createEngineClock(host, () => host.nowMs()), host, stopwatch: () => host.nowMs() },
      afterBeat: async () => {
        works += 1;
      },
      reportFault: (error) => expect(error).toBeNull(),
    });
  start().stop();
  expect(host.alarmsAtMs).toEqual([]);
  const heartbeat = start();
  for (let count = 1; count <= 3; count += 1) {
    host.advance(9999);
    await nextTurn();
    expect([beats, works]).toEqual([count - 1, count - 1]);
    host.advance(1);
    await nextTurn();
    expect([beats, works]).toEqual([count, count]);
  }
  expect(heartbeat.durability.durability).toBe("disk");
  const { promise, resolve } = Promise.withResolvers<void>();
  answered = promise;
  host.advance(10_000);
  heartbeat.stop();
  resolve();
  await nextTurn();
  expect(host.alarmsAtMs).toEqual([]);
});

test("what goes wrong at a beat is reported once while it lasts; that the server is silent, never", async () => {
  const host = createManualClock(0);
  const errors = [REFUSED, REFUSED, new ConnectionEnded(), REFUSED, READ_ONLY];
  const faults: unknown[] = [];
  const reading = async () => {
    throw errors.shift();
  };
  const heartbeat = createHeartbeat({
    attempts: { reading } as unknown as Attempts,
    ...{ clock: createEngineClock(host, () => 0), host, stopwatch: () => 0 },
    ...{ afterBeat: async () => {}, reportFault: (error) => void faults.push(error) },
  });
  while (errors.length > 0) {
    host.advance(10_000);
    await nextTurn();
    await nextTurn();
  }
  expect(faults).toEqual([REFUSED, REFUSED, READ_ONLY]);
  heartbeat.stop();
});

test.each([
  ["postgres://shop@db/", { hostname: "db", port: 5432, username: "shop", password: "", database: "shop" }],
  [
    "postgresql://a%40b:p%2Fw@[::1]:6000/x%20y",
    { hostname: "::1", port: 6000, username: "a@b", password: "p/w", database: "x y" },
  ],
  ["postgres://u@%2Frun%2Fpg/x", { hostname: "/run/pg", port: 5432 }],
  ["postgres://u@ignored/x?host=/run/pg", { hostname: "/run/pg" }],
  [
    "postgres://u@h/x?application_name=till&options=-c%20a=b",
    { connection: { application_name: "till", options: "-c a=b" } },
  ],
  ["postgres://u@h/x", { tls: "prefer" }],
  [
    "postgres://u@h/x?sslmode=disable&sslrootcert=/ca.pem",
    { tls: { ca: expect.objectContaining({ name: "/ca.pem" }) } },
  ],
  ["postgres://u@h/x?sslmode=require", { tls: "require", connection: { application_name: "momo test" } }],
])("the login of %s", (url, login) => {
  expect(parseAddress(url, null, "momo test").login).toMatchObject(login);
});

test("a % that begins no escape is refused, and the password is not shown", () => {
  for (const url of ["postgres://u:50%off@h/x", "postgres://u%@h/x", "postgres://u@h/%zz"]) {
    expect(() => parseAddress(url, null, "")).toThrow(
      "the URL of the database has a % that begins no escape: write it as %25",
    );
  }
});

test("a password of its own counts, not that of the URL; messages name the database without its user", () => {
  const { login, name } = parseAddress("postgres://u:old@h/x", "new", "momo test");
  expect(login).toMatchObject({ password: "new" });
  expect([name, parseAddress("postgres://u@%2Frun/x", null, "").name]).toEqual([
    "the database x at h:5432",
    "the database x at /run",
  ]);
});
