import { afterAll, expect, test } from "bun:test";
import { createRequestIds } from "../../src/domain/identifiers.ts";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { Connections, type UseLimits } from "../../src/store/postgres/connections.ts";
import { NoAnswer, StoreClosed, sqlStateOf } from "../../src/store/postgres/failures.ts";
import { createTransactionList } from "../../src/store/postgres/list.ts";
import { openNumbering } from "../../src/store/postgres/numbering.ts";
import { createRecent } from "../../src/store/postgres/recent.ts";
import { createSql, type EngineSql } from "../../src/store/postgres/sql.ts";
import { OutcomeUnknown, Unanswered } from "../../src/store/store.ts";
import { Meter } from "../../src/store/vitals.ts";
import { systemClock } from "../../src/system.ts";
import { cleanUp, later } from "../support/cleanup.ts";
import { PATIENCE_MS, rejectionOf } from "../support/waiting.ts";

/** What the PostgreSQL engine does when statements fail, without a server. */

afterAll(cleanUp);

const READ_ONLY = Object.assign(new Error("no writes now"), { errno: "25006" });
const REFUSED = Object.assign(new Error("out of range"), { errno: "22003" });

/** A server that answers in turn with these errors, and then well; time passes in pauses only. */
function openSql(errors: readonly Error[], deadlineMs = 4000) {
  const left = [...errors];
  const meter = new Meter();
  const pausesMs: number[] = [];
  const limits: UseLimits[] = [];
  const sent: string[] = [];
  let nowMs = 0;
  let recoveries = 0;
  let isClosed = false;
  const answer = async (text: string) => {
    sent.push(text);
    const error = text.startsWith("BEGIN") ? null : left.shift();
    if (error) throw error;
    return [];
  };
  const sql = createSql({
    connections: {
      async use(given: UseLimits, work: (connection: object) => Promise<unknown>) {
        limits.push(given);
        if (isClosed) throw new StoreClosed();
        return work({ query: answer, script: answer });
      },
      get isClosed() {
        return isClosed;
      },
    } as unknown as Connections,
    clock: {
      nowMs: () => nowMs,
      alarm(atMs: number, ring: () => void) {
        pausesMs.push(atMs - nowMs);
        nowMs = atMs;
        queueMicrotask(ring);
        return () => {};
      },
    },
    stopwatch: () => nowMs,
    meter,
    deadlineMs,
    onRecovered: () => {
      recoveries += 1;
    },
  });
  return {
    sql,
    meter,
    pausesMs,
    limits,
    sent,
    recoveries: () => recoveries,
    close: () => {
      isClosed = true;
    },
  };
}

test("pauses between attempts double up to 400 ms", async () => {
  const { sql, pausesMs, meter } = openSql(Array<Error>(7).fill(READ_ONLY));
  await sql.read("a");
  expect(pausesMs).toEqual([25, 50, 100, 200, 400, 400, 400]);
  expect([...meter.retries]).toEqual([["25006", 7]]);
});

test("what must not run twice may wait for its answer until the deadline, and so may a long read; all else a quarter of it", async () => {
  const { sql, limits } = openSql([]);
  await sql.read("a");
  await sql.write("a");
  await sql.transaction(async () => {});
  await sql.reading(async () => {}, true);
  await sql.writeOnce("a");
  await sql.transactionOnce(async () => {});
  const quarter = { openMs: 1000, workMs: 1000 };
  const whole = { ...quarter, workMs: 4000 };
  expect(limits).toEqual([quarter, quarter, quarter, whole, whole, whole]);
});

/** What was sent until the end, and how it ended. */
async function endOf(errors: readonly Error[], work: (sql: EngineSql) => Promise<unknown>) {
  const { sql, sent, meter } = openSql(errors, 100);
  const error = await rejectionOf(work(sql));
  return [sent.join(" "), nameOf(error), meter.unknownOutcomes];
}

/** A refusal in a word: which writes may be stored. */
function nameOf(error: unknown): unknown {
  if (error instanceof OutcomeUnknown) return "unknown";
  return error instanceof Unanswered && error.kind === "unavailable" ? ["unanswered", error.cause] : error;
}

const LOST = new NoAnswer("connection");
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";
const inTransaction: Parameters<EngineSql["transaction"]>[0] = (query) => query("b");

test.each<[string, readonly Error[], (sql: EngineSql) => Promise<unknown>, unknown[]]>([
  ["a read is sent again", [LOST], (sql) => sql.read("a"), ["a a", null, 0]],
  ["a write that may run twice is sent again", [LOST, READ_ONLY], (sql) => sql.write("a"), ["a a a", null, 1]],
  ["a write that may not is left unknown at once", [LOST], (sql) => sql.writeOnce("a"), ["a", "unknown", 1]],
  ["a write that the server rolled back is sent again", [READ_ONLY], (sql) => sql.writeOnce("a"), ["a a", null, 0]],
  ["a write that it refused is not", [REFUSED], (sql) => sql.writeOnce("a"), ["a", REFUSED, 0]],
  [
    "a transaction that ended before its COMMIT is repeated",
    [LOST],
    (sql) => sql.transactionOnce(inTransaction),
    [`${BEGIN} b ${BEGIN} b COMMIT`, null, 0],
  ],
  [
    "one without an answer to its COMMIT is left unknown",
    [LOST],
    (sql) => sql.transactionOnce(async () => {}),
    [`${BEGIN} COMMIT`, "unknown", 1],
  ],
  [
    "one that may run twice is repeated",
    [LOST],
    (sql) => sql.transaction(async () => {}),
    [`${BEGIN} COMMIT ${BEGIN} COMMIT`, null, 1],
  ],
])("%s", async (_, errors, work, expected) => {
  expect(await endOf(errors, work)).toEqual(expected);
});

test("at the deadline a write is left unknown only if an attempt may have been stored", async () => {
  const write = (sql: EngineSql) => sql.write("a");
  const often = (error: Error) => Array<Error>(200).fill(error);
  const ends: (readonly [readonly Error[], unknown])[] = [
    [often(LOST), "unknown"],
    [[LOST, ...often(READ_ONLY)], "unknown"],
    [often(READ_ONLY), ["unanswered", READ_ONLY]],
    [[LOST, REFUSED], REFUSED],
  ];
  for (const [errors, end] of ends) expect((await endOf(errors, write))[1]).toEqual(end);
  expect((await endOf(often(LOST), (sql) => sql.read("a")))[1]).toEqual(["unanswered", LOST]);
});

test("after a close a write is refused, or left unknown if an attempt may have been stored; no alarm is left", async () => {
  const { sql, close, pausesMs } = openSql([LOST]);
  const losing = sql.transaction(async () => close());
  expect(await rejectionOf(losing)).toBeInstanceOf(OutcomeUnknown);
  expect(await rejectionOf(sql.write("a"))).toBeInstanceOf(StoreClosed);
  const cut = openSql([LOST]);
  const reading = cut.sql.reading(async ({ query }) => {
    cut.close();
    return query("a");
  });
  expect(await rejectionOf(reading)).toBeInstanceOf(StoreClosed);
  expect([...pausesMs, ...cut.pausesMs]).toEqual([]);
});

test("after a silence the server counts as back when it answers, if only with a refusal", async () => {
  const { sql, recoveries } = openSql([new NoAnswer("deadline"), REFUSED, new NoAnswer("deadline")], 1);
  for (const expected of [0, 1, 1, 2]) {
    await rejectionOf(sql.read("a"));
    expect(recoveries()).toBe(expected);
  }
});

/** A server that accepts connections and never answers. */
function startMute() {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  later(() => listener.stop(true));
  return parseAddress(`postgres://momo@127.0.0.1:${listener.port}/momo`, null, "test");
}

test("who waits for a connection, or for the server to accept one, waits for a time, or until a close", async () => {
  const connections = new Connections(startMute(), 1, systemClock);
  let hasRun = false;
  const use = (openMs: number) =>
    connections.use({ openMs, workMs: openMs }, async () => {
      hasRun = true;
    });
  const opening = rejectionOf(use(PATIENCE_MS));
  expect(await rejectionOf(use(1))).toEqual(new NoAnswer("deadline"));
  expect(connections.busy).toBe(1);
  const waiting = rejectionOf(use(PATIENCE_MS));
  await connections.close();
  expect(await waiting).toBeInstanceOf(StoreClosed);
  expect(sqlStateOf(await opening)).toBe("connection");
  const silent = new Connections(startMute(), 1, systemClock);
  expect(await rejectionOf(silent.use({ openMs: 1, workMs: 1 }, async () => {}))).toEqual(new NoAnswer("deadline"));
  expect([silent.busy, hasRun]).toEqual([0, false]);
  await silent.close();
});

test("a client that goes after the end of its search leaves the connection alone", async () => {
  const ended: string[] = [];
  const query = async () => [{ summary: "{}", rows: null }];
  const connection = { query, script: async () => [], end: () => ended.push("connection") };
  const sql = { read: async () => [], reading: (work: (connection: object) => unknown) => work(connection) };
  const parts = { sql: sql as unknown as EngineSql, stopwatch: () => 0, waitMs: 1000, mayBeStale: () => false };
  const list = createTransactionList(parts, {} as Connections, createRequestIds(new Uint8Array(32)));
  const client = new AbortController();
  await list.list(1, { search: "tea" }, { number: 1, limit: 1 }, client.signal);
  client.abort();
  expect(ended).toEqual([]);
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
  const sql = {
    async read(text: string) {
      if (!text.includes("nextval")) return [{ key: "00".repeat(32) }];
      if (isAway) throw new Error("the server is away");
      return [{ first: firsts.shift() }];
    },
  } as unknown as EngineSql;
  const numbering = await openNumbering(sql);
  for (let number = 1; number <= 1000; number += 1) {
    expect(await numbering.next()).toBe(number);
    isAway = true;
  }
  expect(String(await rejectionOf(numbering.next()))).toContain("away");
  isAway = false;
  expect(await numbering.next()).toBe(3001);
  expect([1, 1000, 1001, 3000, 3001, 4000, 4001].filter(numbering.isOwn)).toEqual([1, 1000, 3001, 4000]);
});
