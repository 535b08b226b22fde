import { expect, test } from "bun:test";
import { createRequestIds } from "../../src/domain/identifiers.ts";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { type Attempts, createAttempts } from "../../src/store/postgres/attempts.ts";
import { createConnections } from "../../src/store/postgres/connections.ts";
import { ConnectionEnded, DeadlinePassed, OutcomeUnknown } from "../../src/store/postgres/failures.ts";
import { createGroup } from "../../src/store/postgres/group.ts";
import { createTransactionList } from "../../src/store/postgres/list.ts";
import { createRecent } from "../../src/store/postgres/merchants.ts";
import { openNumbering } from "../../src/store/postgres/numbering.ts";
import { Meter } from "../../src/store/vitals.ts";
import { systemClock } from "../../src/system.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";

/** What the PostgreSQL engine does when statements fail, without a server. */

const READ_ONLY = Object.assign(new Error("no writes now"), { errno: "25006" });
const REFUSED = Object.assign(new Error("out of range"), { errno: "22003" });

/** Attempts that end in turn with these errors, and then well; time passes in pauses only. */
function openAttempts(errors: readonly Error[], deadlineMs = 4000) {
  const left = [...errors];
  const meter = new Meter();
  const [pausesMs, limitsMs]: [number[], number[]] = [[], []];
  let [nowMs, recoveries] = [0, 0];
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
        queueMicrotask(ring);
        return () => {};
      },
    },
    ...{ stopwatch: () => nowMs, meter, deadlineMs },
    onRecovered: () => {
      recoveries += 1;
    },
  });
  const nothing = async () => null;
  return {
    ...{ attempts, meter, pausesMs, limitsMs },
    read: (isLong = false) => attempts.reading(nothing, isLong),
    write: () => attempts.writing(nothing),
    recoveries: () => recoveries,
  };
}

test("pauses between attempts double up to 400 ms", async () => {
  const { read, pausesMs, meter } = openAttempts(Array<Error>(7).fill(READ_ONLY));
  await read();
  expect(pausesMs).toEqual([25, 50, 100, 200, 400, 400, 400]);
  expect([...meter.retries]).toEqual([["25006", 7]]);
});

test("after the store was closed nothing waits for another attempt, so that no alarm is left", async () => {
  const connections = createConnections(parseAddress("postgres://momo@127.0.0.1:1/x", null, "test"), 2, systemClock);
  const set: number[] = [];
  const clock = {
    nowMs: () => 0,
    alarm(atMs: number, ring: () => void) {
      set.push(atMs);
      queueMicrotask(ring);
      return () => {};
    },
  };
  const time = { clock, stopwatch: () => 0, meter: new Meter(), deadlineMs: 4000 };
  const attempts = createAttempts({ connections, ...time, onRecovered() {} });
  const work = async () => {
    await connections.close();
    throw new ConnectionEnded();
  };
  expect(String(await rejectionOf(attempts.reading(work)))).toBe("Error: the store was closed");
  expect(set).toEqual([]);
});

test("an attempt has a quarter of the deadline, a long read all that is left of it", async () => {
  const { read, write, limitsMs } = openAttempts([READ_ONLY]);
  await read(true);
  await read();
  await write();
  expect(limitsMs).toEqual([4000, 3975, 1000, 1000]);
});

test("a write learns that an earlier attempt may be stored, also one before this call; each such attempt is counted", async () => {
  const { attempts, meter } = openAttempts([new ConnectionEnded(), READ_ONLY, new ConnectionEnded()]);
  const told: boolean[] = [];
  const work = async (_: unknown, mayBeWritten: boolean) => void told.push(mayBeWritten);
  await attempts.writing(work);
  await attempts.writing(work, { mayBeWritten: true });
  expect(told).toEqual([false, true, true, true, true]);
  expect([meter.unknownOutcomes, meter.leftUnknown]).toEqual([2, 0]);
});

test("at the deadline a write is unknown only if an attempt may have been stored", async () => {
  const unknown = openAttempts(Array<Error>(200).fill(new ConnectionEnded()), 100);
  expect(await rejectionOf(unknown.write())).toBeInstanceOf(OutcomeUnknown);
  expect(unknown.meter.leftUnknown).toBe(1);
  const before = openAttempts([new ConnectionEnded(), ...Array<Error>(200).fill(READ_ONLY)], 100);
  expect(await rejectionOf(before.write())).toBeInstanceOf(OutcomeUnknown);
  for (const error of [READ_ONLY, REFUSED]) {
    const known = openAttempts(Array<Error>(200).fill(error), 100);
    expect(await rejectionOf(known.write())).toBe(error);
    expect(known.meter.leftUnknown).toBe(0);
  }
  expect(await rejectionOf(openAttempts([new ConnectionEnded(), REFUSED]).write())).toBe(REFUSED);
});

test("after a silence the server counts as stuck, until it answers, if only with a refusal", async () => {
  const { attempts, read, recoveries } = openAttempts([new DeadlinePassed(), REFUSED, new DeadlinePassed()], 1);
  for (const expected of [
    [true, 0],
    [false, 1],
    [true, 1],
    [false, 2],
  ]) {
    await rejectionOf(read());
    expect([attempts.isStuck, recoveries()]).toEqual(expected as [boolean, number]);
  }
});

const ADDRESS = parseAddress("postgres://momo@127.0.0.1:1/momo", null, "test");

test("who waits for a connection gets one when the work before it fails, also in a transaction, and an error at a close", async () => {
  const connections = createConnections(ADDRESS, 1, systemClock);
  const fails = () => nextTurn().then(() => Promise.reject(new Error("failed")));
  const failed = [connections.use(1000, fails, true), connections.use(1000, fails)].map(rejectionOf);
  const last = connections.use(1000, async () => "done");
  expect(connections.busy).toBe(1);
  expect((await Promise.all(failed)).map(String)).toEqual(["Error: failed", "Error: failed"]);
  expect(await last).toBe("done");
  expect(connections.busy).toBe(0);
  await connections.close();

  const none = createConnections(ADDRESS, 0, systemClock);
  const waiting = rejectionOf(none.use(1000, async () => {}));
  await none.close();
  const still = nextTurn().then(() => "it still waits");
  expect(String(await Promise.race([waiting, still]))).toBe("Error: the store was closed");
});

/** A group whose statements the test ends, and the items of those that run. */
function openGroup({ lanes = 1, most = 1, isStuck = false } = {}) {
  const running: { names: readonly string[]; end: () => void }[] = [];
  const group = createGroup<{ item: string; keys: readonly number[] }, string>({
    ...{ attempts: { isStuck } as Attempts, lanes, most, keysOf: ({ keys }) => keys },
    run: (items) => {
      const { promise, resolve } = Promise.withResolvers<string[]>();
      const names = items.map(({ item }) => item);
      running.push({ names, end: () => resolve(names) });
      return promise;
    },
  });
  return {
    group,
    add: (item: string, ...keys: number[]) => group.add({ item, keys }),
    /** Ends all statements that run now, and returns their items. */
    async endAll() {
      await nextTurn();
      await nextTurn();
      return running.splice(0).flatMap(({ names, end }) => {
        end();
        return names;
      });
    },
  };
}

test("writes to the same rows keep their order, also behind one that waits for another row", async () => {
  const { add, endAll } = openGroup({ most: 2 });
  const added = [add("first", 1), add("waits for it", 1, 2), add("waits for that one", 2), add("free", 3)];
  for (const running of [["first", "free"], ["waits for it"], ["waits for that one"]]) {
    expect(await endAll()).toEqual(running);
  }
  await Promise.all(added);
});

test.each([
  [true, [["1"], ["2"], ["3"]]],
  [false, [["1", "2", "3"]]],
])(
  "if the server is stuck (%p), one statement runs at a time; who waits for the queue waits for all",
  async (isStuck, rounds) => {
    const { group, add, endAll } = openGroup({ lanes: 3, isStuck });
    const added = ["1", "2", "3"].map((item) => add(item));
    let isEmpty = false;
    const empty = group.whenEmpty().then(() => {
      isEmpty = true;
    });
    for (const round of rounds) {
      expect(isEmpty).toBe(false);
      expect(await endAll()).toEqual(round);
    }
    await empty;
    expect(await Promise.all(added)).toEqual(["1", "2", "3"]);
  },
);

test("20,000 writes can wait; one more is refused at once, and says why", async () => {
  const { add, endAll } = openGroup();
  const added = Array.from({ length: 20_001 }, (_, item) => add(`${item}`).catch(String));
  const waits = nextTurn().then(() => "it waits, too");
  expect(await Promise.race([added.at(-1), waits])).toBe("Overloaded: 20000 others wait for the database server");
  await endAll();
  expect(await added[0]).toBe("0");
});

test("a search that fails takes its connection with it, because a transaction is open; one that has ended leaves it alone", async () => {
  let isRefused = true;
  const ended: string[] = [];
  const query = async () => (isRefused ? Promise.reject(REFUSED) : []);
  const connection = { query, script: async () => [], end: () => ended.push("connection") };
  const attempts = { read: async () => [], reading: (work: (connection: object) => unknown) => work(connection) };
  const list = createTransactionList(attempts as unknown as Attempts, createRequestIds(new Uint8Array(32)));
  const client = new AbortController();
  const search = () => list.list(1, { search: "tea" }, { number: 1, limit: 1 }, client.signal);
  expect([await rejectionOf(search()), ...ended]).toEqual([REFUSED, "connection"]);
  isRefused = false;
  await search();
  client.abort();
  expect(ended).toHaveLength(1);
});

test("rows that were just read are read again after a second, after a failure, or when there are more than 4,000 of them", async () => {
  let [nowMs, reads, isAway] = [0, 0, true];
  const recent = createRecent(
    () => nowMs,
    async (key: number) => {
      reads += 1;
      if (isAway) throw new Error("the server is away");
      return key;
    },
  );
  const readsOf = async (...keys: number[]) => {
    const before = reads;
    for (const key of keys) await recent.find(key);
    return reads - before;
  };
  expect(await rejectionOf(recent.find(0))).not.toBeNull();
  isAway = false;
  const all = Array.from({ length: 4000 }, (_, key) => key);
  expect([await readsOf(...all), await readsOf(0)]).toEqual([4000, 0]);
  expect([await readsOf(4000), await readsOf(0), await readsOf(0)]).toEqual([1, 1, 0]);
  nowMs += 999;
  expect(await readsOf(0)).toBe(0);
  nowMs += 1;
  expect(await readsOf(0)).toBe(1);
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
